//! Transcripts of the command: the README's and the guide's, and those in `transcripts`. To write them anew, run with
//! `TRYCMD=overwrite` and read the difference.

#[test]
fn transcripts_are_true() {
    trycmd::TestCases::new()
        .env("COLUMNS", "100")
        .case("tests/transcripts/*.trycmd")
        .case("../../README.md")
        .case("../../docs/guide/*.md")
        .run();
}
