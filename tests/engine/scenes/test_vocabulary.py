from engine.scenes.vocabulary import ATTRIBUTES, Scene, classes, named, vocabulary


def test_there_are_enough_classes_to_be_wrong_about():
    assert len(classes("object")) >= 10
    assert len(classes("background")) >= 8
    assert len(classes("palette")) >= 6
    assert len(classes("lighting")) == 4
    assert len(classes("layout")) == 3


def test_no_word_means_two_things():
    words = [word.casefold() for attribute in ATTRIBUTES for of_class in vocabulary()[attribute].values() for word in of_class]
    assert len(words) == len(set(words))


def test_every_word_is_recognised_as_its_own_class():
    for attribute in ATTRIBUTES:
        for name, words in vocabulary()[attribute].items():
            for word in words:
                assert named(word) == {attribute: (name,)}, word


def test_words_are_found_inside_an_assembled_prompt():
    prompt = "On the way to work; Age 18 to 24, with favourite conical hats, Icelandic coast; dusty clementine; rosy moonlight, centred"
    assert named(prompt) == {
        "object": ("hat",),
        "background": ("beach",),
        "palette": ("orange",),
        "lighting": ("night",),
        "layout": ("centre",),
    }


def test_parts_of_other_words_are_not_recognised():
    assert named("a catalogue of birdwatching, hatching, scarlet-fevered") == {}


def test_the_longer_word_wins():
    assert named("a desk lamp by lantern light") == {"object": ("lantern",), "lighting": ("lamplight",)}


def test_labels_number_the_classes_in_their_order():
    scene = Scene(classes("object")[3], classes("background")[0], classes("lighting")[1], classes("palette")[7], classes("layout")[2])
    assert scene.labels() == (3, 0, 1, 7, 2)
