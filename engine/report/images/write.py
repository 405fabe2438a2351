"""Write the images' part of a report: its page, the same as one file, the figures as JSON, and the thumbnails that are shown."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from engine.report.images.page import file_of, page_with_folder, single_page
from engine.report.images.summarising import ImageSummary

AT_ONCE = 16


def write_images(folder_writer: Callable[[str, bytes], None], summary: ImageSummary, read: Callable[[str], bytes | None]) -> None:
    """`read` gives a thumbnail by its name in the store, None if it is gone; `folder_writer` as in `write_report`. Both are called from
    several threads for thumbnails: on S3 each is a round trip."""
    names = summary.thumbnails()
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="thumbnails") as threads:
        thumbnails = {name: data for name, data in zip(names, threads.map(read, names), strict=True) if data is not None}
        files = {file_of(data): data for data in thumbnails.values()}
        list(threads.map(folder_writer, files.keys(), files.values()))
    folder_writer("images.json", summary.to_json())
    folder_writer("images.html", page_with_folder(summary, thumbnails).encode())
    folder_writer("images-single.html", single_page(summary, thumbnails).encode())
