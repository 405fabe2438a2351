"""One look gives what every model says alone; a bad image ends as its named failure and leaves its neighbours as they were."""

import io
import struct
import zlib

import numpy as np
import pytest
from photographs import photographs
from PIL import Image

from actors.vision import NO_VECTOR, Vision
from engine.images import decoding, opening
from engine.images.decoding import decode
from engine.images.looking import LookRequest
from engine.images.opening import ImageFolder
from engine.images.preprocessing import grayscale, square
from engine.outcome import Answered, Failed

TEXTS = ("a tabby cat", "a cup of espresso", "", "a tabby cat")
PHOTOGRAPHS = ("astronaut.png", "camera.png", "chelsea.png", "coffee.png", "motorcycle_left.png", "page.png", "rocket.jpg")


def picture(name):
    return decode((photographs() / name).read_bytes()).value


def answered(outcomes):
    assert all(isinstance(outcome, Answered) for outcome in outcomes), outcomes
    return [outcome.value for outcome in outcomes]


def same(a, b):
    """Two looks of equal requests, to what a batch may change."""
    assert a.sha256 == b.sha256
    for name, vector in a.vectors.items():
        assert vector @ b.vectors[name] > 1 - 1e-6
    for name, vectors in a.texts.items():
        assert np.abs(vectors - b.texts[name]).max() < 1e-6
    for name, distances in a.distances.items():
        assert distances == pytest.approx(b.distances[name], abs=1e-6)
    assert a.quality == b.quality
    assert (a.gray is None) == (b.gray is None)
    if a.gray:
        same(a.gray, b.gray)


class Reading:
    """Reads photographs and counts how often each was read."""

    def __init__(self, folder=None):
        self._folder, self.read = ImageFolder(folder or photographs()), []

    def __call__(self, name):
        self.read.append(name)
        return self._folder.read(name)


def test_a_look_is_what_each_model_says_alone(dinov2, conse, alex, brisque):
    vision = Vision([dinov2, conse], [alex], [brisque], Reading())
    cat, coffee, rocket = (picture(name) for name in ("chelsea.png", "coffee.png", "rocket.jpg"))
    (found,) = answered(vision.look([LookRequest("chelsea.png", TEXTS, ("coffee.png", "rocket.jpg"))]))
    assert found.sha256 == cat.sha256
    assert set(found.vectors) == {dinov2.id, conse.id}
    for encoder in (dinov2, conse):
        assert found.vectors[encoder.id] @ encoder.embed([cat])[0] == pytest.approx(1, abs=1e-6)
        assert np.linalg.norm(found.vectors[encoder.id]) == pytest.approx(1, abs=1e-6)
    assert set(found.texts) == {conse.id}
    assert np.abs(found.texts[conse.id] - conse.embed_texts(TEXTS)).max() < 1e-6
    for other, distance in zip((coffee, rocket), found.distances[alex.id], strict=True):
        assert distance == pytest.approx(alex.distance(*alex.features([square(cat, other.size), square(other)])), abs=1e-6)
    assert found.quality == {brisque.id: brisque.measure([cat], {})[0]}
    assert found.gray is None


def test_a_batch_of_one_is_a_batch_of_many(dinov2, conse):
    requests = [LookRequest(name, TEXTS[:2]) for name in PHOTOGRAPHS]
    one = answered(Vision([dinov2, conse], [], [], Reading(), batch=1).look(requests))
    many = answered(Vision([dinov2, conse], [], [], Reading(), batch=len(requests)).look(requests))
    for a, b in zip(one, many, strict=True):
        for name, vector in a.vectors.items():
            assert vector @ b.vectors[name] > 1 - 1e-4


def test_the_grayscale_twin_is_a_look_at_the_image_without_colours(conse, alex, brisque, tmp_path):
    for name in ("chelsea.png", "coffee.png"):
        (tmp_path / name).write_bytes((photographs() / name).read_bytes())
        Image.fromarray(grayscale(picture(name)).pixels).save(tmp_path / f"gray-{name}")
    vision = Vision([conse], [alex], [brisque], Reading(tmp_path))
    plain, gray = answered(
        vision.look(
            [LookRequest("chelsea.png", TEXTS, ("coffee.png",), gray=True), LookRequest("gray-chelsea.png", TEXTS, ("gray-coffee.png",))]
        )
    )
    assert plain.gray.vectors[conse.id] @ gray.vectors[conse.id] == pytest.approx(1, abs=1e-6)
    assert plain.gray.vectors[conse.id] @ plain.vectors[conse.id] < 0.999
    assert plain.gray.distances[alex.id] == pytest.approx(gray.distances[alex.id], abs=1e-6)
    assert plain.gray.distances[alex.id] != pytest.approx(plain.distances[alex.id], abs=1e-3)
    assert plain.gray.quality == gray.quality
    assert (plain.gray.texts[conse.id] == plain.texts[conse.id]).all()
    assert plain.gray.sha256 != plain.sha256


def png(width, height, bits, body):
    """A PNG by its parts."""
    parts = ((b"IHDR", struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0)), (b"IDAT", body), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )


def saved(image, format, **options):
    file = io.BytesIO()
    image.save(file, format, **options)
    return file.getvalue()


@pytest.fixture(scope="module")
def zoo(tmp_path_factory):
    """A folder of images that are read, and of those that end as the code they map to."""
    folder = tmp_path_factory.mktemp("zoo")
    cat = (photographs() / "chelsea.png").read_bytes()
    small = Image.open(photographs() / "chelsea.png").convert("RGB").resize((90, 60))
    turned = Image.Exif()
    turned[0x0112] = 6
    readable = {
        "cat.png": cat,
        "cmyk.png": saved(small.convert("CMYK"), "JPEG"),
        "palette.png": saved(small.quantize(16), "PNG", transparency=bytes([0] * 8 + [128] * 8)),
        "sixteen.png": saved(Image.fromarray(np.asarray(small.convert("L")).astype(np.uint16) << 8), "PNG"),
        "turned.jpg": saved(small, "JPEG", exif=turned),
    }
    bad = {
        "truncated.png": (cat[: len(cat) // 2], decoding.TRUNCATED),
        "bomb.png": (png(30_000, 30_000, 1, b""), decoding.TOO_LARGE),
        "animated.gif": (saved(small, "GIF", save_all=True, append_images=[small.rotate(90)]), decoding.ANIMATED),
        "empty.png": (b"", decoding.EMPTY),
        "svg.png": (b'<svg xmlns="http://www.w3.org/2000/svg"/>', decoding.NO_IMAGE),
        "damaged.png": (png(8, 8, 8, b"no zlib"), decoding.DAMAGED),
    }
    for name, data in readable.items():
        (folder / name).write_bytes(data)
    for name, (data, _) in bad.items():
        (folder / name).write_bytes(data)
    (folder / "link.png").symlink_to(photographs() / "chelsea.png")
    codes = {name: code for name, (_, code) in bad.items()}
    codes |= {"missing.png": opening.MISSING, "../zoo.png": opening.OUTSIDE, "link.png": opening.OUTSIDE}
    return folder, list(readable), codes


def test_a_bad_image_is_a_named_failure_and_touches_no_neighbour(zoo, conse, alex, brisque):
    folder, readable, codes = zoo
    good = [LookRequest(name, TEXTS[:1], ("cat.png",), gray=True) for name in readable]
    alone = answered(Vision([conse], [alex], [brisque], Reading(folder)).look(good))
    as_image = [LookRequest(name) for name in codes]
    as_reference = [LookRequest("cat.png", (), ("turned.jpg", name)) for name in codes]
    mixed = [request for row in zip(as_image, as_reference, [*good, *good], strict=False) for request in row]
    left = [*as_image[len(good) * 2 :], *as_reference[len(good) * 2 :]]
    outcomes = dict(zip([*mixed, *left], Vision([conse], [alex], [brisque], Reading(folder), batch=5).look([*mixed, *left]), strict=True))
    for request, expected in zip(good, alone, strict=True):
        same(outcomes[request].value, expected)
    for request in as_image:
        assert isinstance(outcomes[request], Failed)
        assert outcomes[request].code == codes[request.image]
    for request in as_reference:
        assert isinstance(outcomes[request], Failed)
        assert outcomes[request].code == codes[request.against[1]]
        assert request.against[1] in outcomes[request].message or "link" in request.against[1]


def test_images_are_decoded_once_and_references_measured_once(conse, alex):
    reading = Reading()
    vision = Vision([conse], [alex], [], reading, batch=4)
    references = ("coffee.png", "camera.png")
    requests = [LookRequest("chelsea.png", (), references), LookRequest("chelsea.png"), LookRequest("rocket.jpg", (), references)]
    first = answered(vision.look(requests))
    assert sorted(reading.read) == ["camera.png", "chelsea.png", "coffee.png", "rocket.jpg"]
    assert (vision.loader.decoded, vision.features.embedded, vision.distances[0].referenced) == (4, 2, 2)
    again = answered(vision.look(requests))
    assert (vision.loader.decoded, vision.features.embedded, vision.distances[0].referenced) == (6, 2, 2)
    for a, b in zip(first, again, strict=True):
        same(a, b)
    answered(vision.look([LookRequest("chelsea.png"), LookRequest("rocket.jpg")]))
    assert vision.loader.decoded == 6


def test_nothing_kept_changes_nothing_but_the_time(conse, alex, brisque):
    requests = [LookRequest(name, TEXTS, ("coffee.png", "rocket.jpg"), gray=name == "chelsea.png") for name in PHOTOGRAPHS[:4]]
    kept = Vision([conse], [alex], [brisque], Reading(), batch=2)
    kept.look(requests)
    bare = Vision([conse], [alex], [brisque], Reading(), batch=2, vector_bytes=0, feature_bytes=0)
    bare.look(requests)
    for a, b in zip(answered(kept.look(requests)), answered(bare.look(requests)), strict=True):
        same(a, b)
    assert bare.features.embedded == 2 * kept.features.embedded


def test_one_file_under_two_names_is_one_image(conse, tmp_path):
    for name in ("a.png", "b.png"):
        (tmp_path / name).write_bytes((photographs() / "chelsea.png").read_bytes())
    vision = Vision([conse], [], [], Reading(tmp_path))
    a, b = answered(vision.look([LookRequest("a.png"), LookRequest("b.png")]))
    same(a, b)
    assert vision.features.embedded == 1


def test_without_a_perceptual_distance_references_are_not_even_read(conse):
    reading = Reading()
    (found,) = answered(Vision([conse], [], [], reading).look([LookRequest("chelsea.png", (), ("missing.png",))]))
    assert reading.read == ["chelsea.png"]
    assert found.distances == {}


def test_what_is_not_the_images_fault_is_raised(conse):
    def broken(name):
        raise OSError("the disk is gone")

    vision = Vision([conse], [], [], broken, batch=1)
    with pytest.raises(OSError, match="disk"):
        vision.look([LookRequest("a.png"), LookRequest("b.png")])
    assert vision.look([]) == []


class Nowhere:
    """An encoder whose half precision overflowed for dark pictures."""

    id = "nowhere"

    def embed(self, pictures):
        return np.array([[np.nan if picture.pixels.mean() < 128 else 1.0] for picture in pictures], np.float32)

    def close(self):
        pass


def test_a_vector_that_is_none_is_a_named_failure(tmp_path):
    for name, grey in (("dark.png", 0), ("light.png", 255)):
        Image.new("L", (4, 4), grey).save(tmp_path / name)
    dark, light = Vision([Nowhere()], [], [], Reading(tmp_path)).look([LookRequest("dark.png"), LookRequest("light.png")])
    assert isinstance(dark, Failed)
    assert dark.code == NO_VECTOR
    assert isinstance(light, Answered)


def test_a_figure_that_is_none_is_left_out(brisque, tmp_path):
    Image.new("RGB", (40, 40), "teal").save(tmp_path / "flat.png")
    (found,) = answered(Vision([], [], [brisque], Reading(tmp_path)).look([LookRequest("flat.png")]))
    assert found.quality == {}
