//! Everything the workbench can do. One table gives each action its name (for `config.toml` and the
//! palette), its words (for help) and the places it works in. Its keys are in `config.toml`.

/// The places a key can be pressed in, as a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Where(u16);

impl Where {
    /// The question line.
    pub const QUESTION: Where = Where(1);
    /// The chips of what was read and set.
    pub const CHIPS: Where = Where(1 << 1);
    /// The funnel.
    pub const FUNNEL: Where = Where(1 << 2);
    /// The ranked pages.
    pub const RANKING: Where = Where(1 << 3);
    /// The page.
    pub const PAGE: Where = Where(1 << 4);
    /// A list with a filter line above it.
    pub const PICKER: Where = Where(1 << 5);
    /// A one-line prompt: find, go to page.
    pub const PROMPT: Where = Where(1 << 6);
    /// The help.
    pub const HELP: Where = Where(1 << 7);
    /// The panes of the workbench in which keys are commands.
    pub const PANES: Where = Where(1 << 1 | 1 << 2 | 1 << 3 | 1 << 4);
    /// Where printable keys are text.
    pub const TEXT: Where = Where(1 | 1 << 5 | 1 << 6);
    /// The question line and the panes.
    pub const BENCH: Where = Where(Where::PANES.0 | 1);
    /// The question list of the error analysis.
    pub const LIST: Where = Where(1 << 8);
    /// The other panes of the error analysis.
    pub const CASE: Where = Where(1 << 9);
    /// The error analysis.
    pub const ANALYSIS: Where = Where(1 << 8 | 1 << 9);
    /// What the score of a page is made of.
    pub const WHY: Where = Where(1 << 10);
    /// Where keys go from row to row.
    pub const ROWS: Where = Where::PANES
        .without(Where::CHIPS)
        .or(Where::HELP)
        .or(Where::WHY)
        .or(Where::ANALYSIS);
    /// Everywhere.
    pub const ANY: Where = Where(0x7ff);

    /// True when the two share a place.
    pub fn meets(self, other: Where) -> bool {
        self.0 & other.0 != 0
    }

    /// The places of either.
    pub const fn or(self, other: Where) -> Where {
        Where(self.0 | other.0)
    }

    /// These without those.
    pub const fn without(self, other: Where) -> Where {
        Where(self.0 & !other.0)
    }

    /// The sections of the help about these places: they come first there.
    pub fn sections(self) -> &'static [&'static str] {
        let known: [(Where, &'static [&'static str]); 8] = [
            (Where::QUESTION, &["The question line"]),
            (Where::CHIPS, &["The scope"]),
            (Where::FUNNEL, &["Moving"]),
            (Where::PAGE, &["Ranked pages and the page", "Moving"]),
            (Where::RANKING, &["Ranked pages and the page", "Moving"]),
            (Where::WHY, &["Ranked pages and the page", "Moving"]),
            (Where::ANALYSIS, &["Error analysis", "Moving"]),
            (
                Where::PICKER.or(Where::PROMPT),
                &["In a list with a filter", "The question line"],
            ),
        ];
        let found = known.into_iter().find(|(at, _)| at.meets(self));
        found.map_or(&[], |(_, sections)| sections)
    }
}

/// What is known of an action besides what it does.
#[derive(Debug)]
pub struct Info {
    /// The action.
    pub action: Action,
    /// Its name in `config.toml` and the palette.
    pub name: &'static str,
    /// Heading of the help it stands under.
    pub section: &'static str,
    /// What it does, in a few words.
    pub words: &'static str,
    /// One or two words for the footer.
    pub short: &'static str,
    /// Where it works.
    pub places: Where,
}

macro_rules! actions {
    ($($section:literal { $($action:ident $name:literal $short:literal $words:literal $places:expr;)* })*) => {
        /// An action. The order is the order of the help.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Action {
            $($(
                #[doc = $words]
                $action,
            )*)*
        }

        /// The table of actions, in the order of the help.
        pub static ACTIONS: &[Info] = &[
            $($(Info {
                action: Action::$action,
                name: $name,
                section: $section,
                words: $words,
                short: $short,
                places: $places,
            },)*)*
        ];
    };
}

actions! {
    "Around the workbench" {
        Help "help" "help" "show the keys" Where::ANY;
        Palette "palette" "commands" "find any command by name" Where::BENCH.or(Where::ANALYSIS);
        Leave "leave" "quit" "leave" Where::PANES.or(Where::ANALYSIS);
        Quit "quit" "quit" "leave, from anywhere" Where::ANY;
        CloseHelp "close-help" "close" "close the help, or why a page is ranked" Where::HELP.or(Where::WHY);
        Back "back" "back" "close what is open; to the ranked pages" Where::ANY;
        NextPane "next-pane" "next pane" "go to the next pane" Where::BENCH.or(Where::ANALYSIS);
        PreviousPane "previous-pane" "previous pane" "go to the previous pane" Where::BENCH.or(Where::ANALYSIS);
        FocusQuestion "question" "question" "write in the question line" Where::PANES;
        Questions "questions" "questions" "pick a labelled question" Where::BENCH;
        Filings "filings" "filings" "pick filings: open one, or search only some" Where::BENCH;
        Fetch "fetch" "fetch" "fetch the 360 FinanceBench filings, or stop what goes on" Where::BENCH;
        AddFilings "add-filings" "add" "add filings of your own: files, folders, or from EDGAR" Where::BENCH;
        Added "added" "added" "what became of the files added last" Where::BENCH;
        Libraries "libraries" "libraries" "go to another library" Where::BENCH;
        Reopen "reopen-library" "open again" "open the library again, with what was added to it meanwhile" Where::BENCH;
        Mouse "mouse" "mouse" "turn the mouse on or off" Where::BENCH.or(Where::ANALYSIS);
        Theme "theme" "theme" "go to the next theme: auto, dark, light, mono" Where::BENCH.or(Where::ANALYSIS);
        Redraw "redraw" "redraw" "draw the whole screen again" Where::BENCH.or(Where::ANALYSIS);
        Suspend "suspend" "suspend" "go to the shell; `fg` comes back" Where::ANY;
    }
    "Switches" {
        SwitchCompany "switch-company" "company" "keep only the filings of the companies named" Where::BENCH.or(Where::ANALYSIS);
        SwitchPeriod "switch-period" "period" "keep only the filings of the period and form named" Where::BENCH.or(Where::ANALYSIS);
        SwitchRouting "switch-routing" "routing" "rank statement pages first when a statement is asked for" Where::BENCH.or(Where::ANALYSIS);
        SwitchNames "switch-names" "names out" "leave company names out of the query" Where::BENCH.or(Where::ANALYSIS);
        SwitchSignals "switch-signals" "signals" "rank by all signals, or by BM25 alone" Where::BENCH.or(Where::ANALYSIS);
        SwitchRetriever "switch-retriever" "retriever" "rank by words, by meaning, or by both" Where::BENCH.or(Where::ANALYSIS);
        SwitchSeveral "switch-several" "several" "search each year or company asked for on its own" Where::BENCH.or(Where::ANALYSIS);
        SwitchLean "switch-lean" "lean" "lean to tables for a figure, to prose for reasons, or to neither" Where::BENCH.or(Where::ANALYSIS);
    }
    "The question line" {
        Submit "submit" "to the pages" "keep the question in the history and go to the pages" Where::QUESTION;
        HistoryPrevious "history-previous" "earlier" "the question before" Where::QUESTION;
        HistoryNext "history-next" "later" "the question after; below the newest, the pages" Where::QUESTION;
        History "history" "history" "pick from all questions asked" Where::BENCH;
        LineStart "line-start" "start" "to the start" Where::TEXT;
        LineEnd "line-end" "end" "to the end" Where::TEXT;
        LineLeft "line-left" "left" "one character left" Where::TEXT;
        LineRight "line-right" "right" "one character right" Where::TEXT;
        WordLeft "word-left" "word left" "one word left" Where::TEXT;
        WordRight "word-right" "word right" "one word right" Where::TEXT;
        DeleteBack "delete-back" "delete back" "delete the character before" Where::TEXT;
        DeleteForward "delete-forward" "delete" "delete the character under the cursor" Where::TEXT;
        DeleteWordBack "delete-word-back" "delete word" "cut the word before" Where::TEXT;
        DeleteWordForward "delete-word-forward" "delete word" "cut the word after" Where::TEXT;
        CutToStart "cut-to-start" "cut to start" "cut all before the cursor" Where::TEXT;
        CutToEnd "cut-to-end" "cut to end" "cut all after the cursor" Where::TEXT;
        Yank "yank" "paste" "put back what was cut" Where::TEXT;
        Undo "undo" "undo" "undo" Where::TEXT;
        Redo "redo" "redo" "redo" Where::TEXT;
    }
    "Moving" {
        Down "down" "down" "one down" Where::ROWS;
        Up "up" "up" "one up" Where::ROWS;
        First "first" "top" "to the top" Where::ROWS;
        Last "last" "bottom" "to the bottom" Where::ROWS;
        HalfDown "half-down" "half down" "half a screen down" Where::ROWS;
        HalfUp "half-up" "half up" "half a screen up" Where::ROWS;
        PageDown "page-down" "screen down" "a screen down" Where::ROWS;
        PageUp "page-up" "screen up" "a screen up" Where::ROWS;
    }
    "Ranked pages and the page" {
        Open "open" "read" "read the selected page" Where::RANKING.or(Where::FUNNEL).or(Where::LIST);
        Why "why" "why" "why this page is ranked here: every signal of its score, adding up" Where::BENCH.or(Where::WHY);
        NextRanked "next-ranked" "next ranked" "the next page of the ranking" Where::RANKING.or(Where::PAGE).or(Where::WHY);
        PreviousRanked "previous-ranked" "previous ranked" "the page before it in the ranking" Where::RANKING.or(Where::PAGE).or(Where::WHY);
        NextPage "next-page" "next page" "the next page of the filing" Where::RANKING.or(Where::PAGE);
        PreviousPage "previous-page" "previous page" "the page before it in the filing" Where::RANKING.or(Where::PAGE);
        GoToPage "go-to-page" "go to page" "go to a page by PDF number, or by printed number (p58)" Where::RANKING.or(Where::PAGE);
        Find "find" "find" "find in the page" Where::RANKING.or(Where::PAGE);
        NextMatch "next-match" "next match" "to the next match" Where::RANKING.or(Where::PAGE);
        PreviousMatch "previous-match" "previous match" "to the match before" Where::RANKING.or(Where::PAGE);
        Wrap "wrap" "wrap" "wrap paragraphs and set tables, or see every line as it is" Where::RANKING.or(Where::PAGE);
        Beside "beside" "beside" "read the page over the whole width, or beside the ranked pages" Where::RANKING.or(Where::PAGE);
        ScrollLeft "scroll-left" "left" "scroll wide tables and lines left" Where::PAGE;
        ScrollRight "scroll-right" "right" "scroll wide tables and lines right" Where::PAGE;
    }
    "The scope" {
        AddChip "add-scope" "add to scope" "set a scope by hand: a company, year, form, quarter, filing, statement or Item" Where::BENCH;
        ChipLeft "chip-left" "left" "the chip to the left" Where::CHIPS;
        ChipRight "chip-right" "right" "the chip to the right" Where::CHIPS;
        RemoveChip "remove-chip" "remove" "remove the chip: what was read is ignored, what was set is gone" Where::CHIPS;
        PinChip "pin-chip" "pin" "keep what was read, whatever is asked next" Where::CHIPS;
        ClearScope "clear-scope" "clear scope" "forget the scope that was set by hand" Where::BENCH;
    }
    "Taking it away" {
        CopyCitation "copy-citation" "copy citation" "copy a citation of the page" Where::PANES;
        CopyPage "copy-page" "copy page" "copy the text of the page" Where::PANES;
        CopyResults "copy-results" "copy results" "copy the ranked pages as Markdown" Where::PANES;
        Export "export" "export" "write the result to a file: Markdown, CSV or JSONL" Where::PANES;
        SaveSearch "save-search" "save search" "save question, switches and scope" Where::PANES;
        SavedSearches "saved-searches" "saved searches" "pick a saved search" Where::PANES;
        NoteQuestion "note-question" "note" "keep a note on the question asked, or change it" Where::BENCH;
        OpenOriginal "open-original" "open original" "open the original at this page in the system viewer" Where::RANKING.or(Where::PAGE);
        ViewInPager "view-in-pager" "pager" "read the page text in $PAGER" Where::RANKING.or(Where::PAGE);
        ViewInEditor "view-in-editor" "editor" "open the page text in $EDITOR" Where::RANKING.or(Where::PAGE);
    }
    "Error analysis" {
        Analyse "error-analysis" "errors" "error analysis: where each labelled question is lost, and why" Where::BENCH;
        NextMiss "next-miss" "next miss" "the next missed question of the list" Where::ANALYSIS;
        PreviousMiss "previous-miss" "previous miss" "the missed question before it" Where::ANALYSIS;
        NextQuestion "next-question" "next question" "the next question of the list" Where::ANALYSIS;
        PreviousQuestion "previous-question" "previous question" "the question before it" Where::ANALYSIS;
        NextLabelled "next-labelled" "next label" "the next labelled page of the question" Where::ANALYSIS;
        PreviousLabelled "previous-labelled" "label before" "the labelled page before it" Where::ANALYSIS;
        SearchList "search-list" "search" "search the text of the questions" Where::ANALYSIS;
        FilterList "filter-list" "filter" "filter the list by any column, or take a filter away" Where::ANALYSIS;
        SortList "sort-list" "sort" "sort the list by a column; the same again turns it round" Where::ANALYSIS;
        ClearFilters "clear-filters" "all" "show every question again" Where::ANALYSIS;
        WhatIf "what-if" "what if" "ask it in other words, and see the labelled page move" Where::ANALYSIS;
        AddWord "add-word" "add word" "add words to the question" Where::ANALYSIS;
        ExcludeWord "exclude-word" "leave out" "leave a word out of the query, or take it back" Where::ANALYSIS;
        ResetWhatIf "reset-what-if" "reset" "back to the question and switches as they were" Where::ANALYSIS;
        RunList "run-list" "run all" "run the whole list with the switches as they are" Where::ANALYSIS;
        ToBench "to-workbench" "to the workbench" "take question and switches to the workbench" Where::ANALYSIS;
        WriteNote "write-note" "note" "write a note on the question" Where::ANALYSIS;
        ChangeNote "change-note" "change note" "change the selected note of the question" Where::ANALYSIS;
        RemoveNote "remove-note" "remove note" "remove the selected note of the question" Where::ANALYSIS;
        TagNote "tag-note" "tag" "tag the question, or take a tag away" Where::ANALYSIS;
        ListNotes "list-notes" "notes" "find a note, and go to its question" Where::ANALYSIS;
        ExportNotes "export-notes" "export notes" "write the notes on the questions listed to a Markdown file" Where::ANALYSIS;
    }
    "In a list with a filter" {
        PickDown "pick-down" "down" "one down" Where::PICKER;
        PickUp "pick-up" "up" "one up" Where::PICKER;
        PickPageDown "pick-page-down" "screen down" "a screen down" Where::PICKER;
        PickPageUp "pick-page-up" "screen up" "a screen up" Where::PICKER;
        PickMark "pick-mark" "mark" "mark a filing for the scope" Where::PICKER;
        Pick "pick" "take" "take the selected line (or the marked ones)" Where::PICKER.or(Where::PROMPT);
        OtherLibrary "other-library" "library" "add to another library than the one named" Where::PROMPT;
        PickRemove "pick-remove" "delete" "delete the selected saved search or note" Where::PICKER;
    }
}

impl Action {
    /// What is known of it.
    pub fn info(self) -> &'static Info {
        &ACTIONS[self as usize]
    }

    /// Rows that an action of moving goes on, in a pane that shows so many.
    pub fn rows(self, shown: usize) -> isize {
        let shown = isize::try_from(shown).unwrap_or(isize::MAX).max(1);
        match self {
            Action::Down => 1,
            Action::Up => -1,
            Action::First => isize::MIN,
            Action::Last => isize::MAX,
            Action::HalfDown => (shown / 2).max(1),
            Action::HalfUp => -(shown / 2).max(1),
            Action::PageDown => shown,
            Action::PageUp => -shown,
            _ => 0,
        }
    }

    /// The action of this name.
    pub fn by_name(name: &str) -> Option<Action> {
        ACTIONS.iter().find(|i| i.name == name).map(|i| i.action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enum_and_names_are_unique() {
        for (ix, info) in ACTIONS.iter().enumerate() {
            assert_eq!(info.action as usize, ix, "{}", info.name);
            assert_eq!(Action::by_name(info.name), Some(info.action));
        }
    }
}
