//! Run records to terminal, JSON, JUnit and one HTML page.
