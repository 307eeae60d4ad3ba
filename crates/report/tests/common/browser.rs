//! Opens pages in a real browser: Debian's chromium, headless, from a file.
//!
//! If it is missing, `apt-get install chromium` installs it. The test command does that.

#![allow(dead_code, reason = "each test uses its part")]

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// The window in which the browser shows the page.
#[derive(Clone, Copy)]
pub struct Window {
    width: u32,
    dark: bool,
}

/// A wide window.
pub const DESK: Window = Window { width: 1280, dark: false };
/// A wide window of somebody who likes it dark.
pub const NIGHT: Window = Window { width: 1280, dark: true };
/// A narrow window.
pub const PHONE: Window = Window { width: 500, dark: true };

/// Opens a page in a browser and runs a script in it. Returns what the script passes to `say`.
pub fn browse_page(page: &str, window: Window, script: &str) -> String {
    let folder = TempDir::new().expect("a temporary folder");
    // Errors of the page's own script must not go unseen.
    let watch = "<head><script>window.errors = []; addEventListener('error', (event) => errors.push(String(event.message)));</script>";
    let act = format!(
        "<script>addEventListener('load', () => {{ const said = errors.map((error) => 'error: ' + error); \
         const say = (text) => said.push(String(text));\ntry {{ {script} }} catch (error) {{ say('error: ' + error); }}\n\
         const answer = document.createElement('pre'); \
         answer.textContent = said.join('\\n'); document.body.replaceChildren(answer); }});</script></body>"
    );
    let page = page.replacen("<head>", watch, 1);
    let (before, after) = page.rsplit_once("</body>").expect("a page has a body");
    let path = folder.path().join("page.html");
    std::fs::write(&path, format!("{before}{act}{after}")).expect("the page can be written");
    let dom = dump(&path, folder.path(), window);
    let said = dom.split_once("<pre>").and_then(|(_, rest)| rest.rsplit_once("</pre>"));
    let (said, _) = said.unwrap_or_else(|| panic!("the script has not come to its end:\n{dom}"));
    said.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").trim().to_owned()
}

fn dump(page: &Path, folder: &Path, window: Window) -> String {
    let output = Command::new("chromium")
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--virtual-time-budget=10000",
        ])
        .arg(format!("--window-size={},900", window.width))
        .arg(format!("--blink-settings=preferredColorScheme={}", u32::from(!window.dark)))
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", page.display()))
        .output()
        .expect("chromium starts; where it is missing, `apt-get install chromium` brings it");
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && !dom.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    dom
}
