#!/usr/bin/env python3
"""Makes the README's pictures: runs `kilter demo` and `kilter test` in a temporary folder, and takes screenshots of the report with chromium.

    docs/pictures.py [--kilter target/release/kilter]

docs/pictures/page.png is the top of the page, docs/pictures/trace.png the first finding's path. Each must stay under 100 kB.
"""

import argparse
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BYTES_MAX = 100_000

# Lays the path of the first finding over the whole page.
ONLY_THE_PATH = """<style>
body { overflow: hidden }
.group .finding:first-of-type .viewer { position: fixed; inset: 0; z-index: 9; margin: 0; background: var(--card, white) }
</style></head>"""


def screenshot(page, picture, width, height):
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={width},{height}",
               f"--screenshot={picture}", page.as_uri()]
    subprocess.run(command, check=True, capture_output=True)
    size = picture.stat().st_size
    print(f"{picture.relative_to(HERE.parent)}: {size} bytes")
    if size > BYTES_MAX:
        raise SystemExit(f"{picture} is larger than {BYTES_MAX} bytes: make the window smaller")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kilter", type=pathlib.Path, default=HERE.parent / "target/release/kilter")
    kilter = parser.parse_args().kilter.resolve()
    pictures = HERE / "pictures"
    pictures.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        subprocess.run([kilter, "demo", folder], check=True, stdout=subprocess.DEVNULL)
        ended = subprocess.run([kilter, "test", "kilter.toml", "--quiet"], cwd=folder, stdout=subprocess.DEVNULL)
        if ended.returncode != 1:
            raise SystemExit("the demo's bug was not found")
        report = folder / ".kilter/report.html"
        path = report.with_name("path.html")
        path.write_text(report.read_text().replace("</head>", ONLY_THE_PATH, 1))
        screenshot(report, pictures / "page.png", 1100, 715)
        screenshot(path, pictures / "trace.png", 1000, 330)


if __name__ == "__main__":
    main()
