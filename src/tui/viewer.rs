//! The original of a page in the system's viewer, at the page where the viewer can be told.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use url::Url;

/// Opens a file or link at a 1-based page; says what was done, or why it cannot be and what to do
/// `instead`.
pub fn open(target: &str, page: u32, instead: &str) -> Result<String, String> {
    let set = |name: &str| std::env::var(name).is_ok_and(|value| !value.is_empty());
    let mac = cfg!(target_os = "macos");
    let has_screen = match mac {
        true => !set("SSH_TTY"),
        false => set("DISPLAY") || set("WAYLAND_DISPLAY"),
    };
    if !has_screen {
        return Err(format!("no display here: {instead}"));
    }
    let program = if mac { "open" } else { "xdg-open" };
    if !has_pages(target) {
        start(program, &[target.to_string()])?;
        return Ok(format!(
            "opened {target}, which has no pages of its own: look for the words of page {page}"
        ));
    }
    if target.starts_with("http") {
        // Browsers go to the page by this fragment.
        start(program, &[format!("{target}#page={page}")])?;
        return Ok(format!("opened {target}, page {page}"));
    }
    if !mac
        && let Some((program, args)) = at_page(&default_viewer(), target, page)
        && start(program, &args).is_ok()
    {
        return Ok(format!("opened {target}, page {page}"));
    }
    start(program, &[target.to_string()])?;
    Ok(format!("opened {target}: go to page {page}"))
}

/// False for HTML and text: no viewer can be told a page of it.
fn has_pages(target: &str) -> bool {
    let name = target.split(['?', '#']).next().unwrap_or_default();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    !["htm", "html", "xhtml", "txt", "text"]
        .iter()
        .any(|flowing| ending.eq_ignore_ascii_case(flowing))
}

/// The desktop file of the viewer PDFs open in; empty when it is not known.
fn default_viewer() -> String {
    let asked = Command::new("xdg-mime")
        .args(["query", "default", "application/pdf"])
        .stdin(Stdio::null())
        .output();
    asked.map_or(String::new(), |out| {
        String::from_utf8_lossy(&out.stdout).trim().to_lowercase()
    })
}

/// How a viewer is told the page; none for one that takes no page.
fn at_page(viewer: &str, file: &str, page: u32) -> Option<(&'static str, Vec<String>)> {
    let file =
        std::path::absolute(Path::new(file)).map_or(file.into(), |p| p.display().to_string());
    let number = page.to_string();
    let flag = |flag: &str| vec![flag.to_string(), number.clone(), file.clone()];
    let link = || {
        let link = Url::from_file_path(&file).map_or(file.clone(), String::from);
        vec![format!("{link}#page={page}")]
    };
    let known: [(&str, &'static str, Vec<String>); 11] = [
        ("evince", "evince", flag("--page-index")),
        ("papers", "papers", flag("--page-index")),
        ("atril", "atril", flag("--page-index")),
        ("xreader", "xreader", flag("--page-index")),
        ("okular", "okular", flag("-p")),
        ("zathura", "zathura", flag("-P")),
        ("mupdf", "mupdf", vec![file.clone(), number.clone()]),
        ("xpdf", "xpdf", vec![file.clone(), number.clone()]),
        ("firefox", "firefox", link()),
        ("chromium", "chromium", link()),
        ("chrome", "google-chrome", link()),
    ];
    let found = known.into_iter().find(|(name, ..)| viewer.contains(name));
    found.map(|(_, program, args)| (program, args))
}

fn start(program: &str, args: &[String]) -> Result<(), String> {
    Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map(|mut child| {
            // Waited for, so that it leaves no zombie; nobody needs its result.
            thread::spawn(move || child.wait());
        })
        .map_err(|error| format!("`{program}` did not start: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_and_text_have_no_pages_to_go_to() {
        for (target, paged) in [
            ("/filings/3M 2018.pdf", true),
            ("/filings/report.PDF", true),
            ("https://investors.example.com/static-files/1a2b", true),
            ("https://example.com/annual.pdf?a=report.htm", true),
            ("report.htm", false),
            ("report.HTML", false),
            ("/notes.d/letter.txt", false),
            ("https://www.sec.gov/Archives/edgar/data/1/d.htm", false),
            ("https://example.com/d.htm?print=1", false),
        ] {
            assert_eq!(has_pages(target), paged, "{target}");
        }
    }

    #[test]
    fn viewers_are_told_the_page_their_way() {
        let words = |viewer: &str| {
            at_page(viewer, "/filings/3M 2018 #1.pdf", 60)
                .map(|(program, args)| format!("{program} {}", args.join(" ")))
        };
        for (viewer, expected) in [
            (
                "org.gnome.evince.desktop",
                "evince --page-index 60 /filings/3M 2018 #1.pdf",
            ),
            (
                "okularapplication_pdf.desktop",
                "okular -p 60 /filings/3M 2018 #1.pdf",
            ),
            (
                "org.pwmt.zathura.desktop",
                "zathura -P 60 /filings/3M 2018 #1.pdf",
            ),
            ("xpdf.desktop", "xpdf /filings/3M 2018 #1.pdf 60"),
            (
                "firefox.desktop",
                "firefox file:///filings/3M%202018%20%231.pdf#page=60",
            ),
            (
                "google-chrome.desktop",
                "google-chrome file:///filings/3M%202018%20%231.pdf#page=60",
            ),
        ] {
            assert_eq!(words(viewer).as_deref(), Some(expected));
        }
        assert_eq!(words("some.other.desktop"), None);
        assert_eq!(words(""), None);
    }
}
