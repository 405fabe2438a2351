"""Write the images' part of a report: its page, the same as one file, the figures as JSON, and the thumbnails that are shown."""

from __future__ import annotations

from collections.abc import Callable

from engine.report.images.page import file_of, page_with_folder, single_page
from engine.report.images.summarising import ImageSummary


def write_images(folder_writer: Callable[[str, bytes], None], summary: ImageSummary, read: Callable[[str], bytes | None]) -> None:
    """`read` gives a thumbnail by its name in the store, None if it is gone; `folder_writer` as in `write_report`."""
    thumbnails = {name: data for name in summary.thumbnails() if (data := read(name)) is not None}
    for path, data in {file_of(data): data for data in thumbnails.values()}.items():
        folder_writer(path, data)
    folder_writer("images.json", summary.to_json())
    folder_writer("images.html", page_with_folder(summary, thumbnails).encode())
    folder_writer("images-single.html", single_page(summary, thumbnails).encode())
