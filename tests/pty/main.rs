//! The workbench in a real terminal: what people complain about in programs like it, one test each.
//!
//! | complaint | test |
//! |---|---|
//! | full redraws flicker, frames are torn | `nothing_is_drawn_while_nothing_changes_and_a_frame_is_whole` |
//! | a dropped SSH line leaves the program spinning | `a_dropped_connection_ends_the_process_within_a_second`, `a_dropped_connection_ends_it_even_without_a_signal`, `a_dropped_connection_loses_no_note` |
//! | copying fails over SSH | `over_ssh_a_citation_is_copied_by_the_terminal` |
//! | the mouse is taken from the terminal | `the_mouse_is_the_terminals_own_until_it_is_asked_for` |
//! | white on white, unreadable greys | `tui::theme::tests::no_role_sets_a_background_or_a_grey` |
//! | 24 bits sent to a terminal of 256 or 16 colours | `colours_are_those_the_terminal_has` |
//! | `NO_COLOR` loses the highlights | `no_color_means_no_colour_at_all` |
//! | a tiny terminal crashes it and keeps the mouse | `a_terminal_of_one_cell_does_no_harm`, `tui::tests::every_view_draws_at_any_size` |
//! | CJK and emoji shift the screen | `wide_and_combining_characters_keep_the_cursor_in_place`, `tui::paint::tests::the_terminal_shows_what_was_drawn` |
//! | keys cannot be changed, `?` shows no help | `keys_are_given_anew_in_the_config_and_mistakes_named_with_their_line`, `tui::tests::the_help_shows_every_key` |
//! | piped stdin: no keys, no words | `what_is_no_terminal_gets_a_clear_error` |
//! | a panic leaves raw mode | `a_panic_gives_the_terminal_back_and_names_the_log` |
//! | a crash leaves raw mode, and no word | `a_file_changed_in_place_gives_the_terminal_back_and_is_told`, `a_fault_gives_the_terminal_back` |
//! | Ctrl-Z arrives as a key | `ctrl_z_goes_to_the_shell_and_fg_paints_everything_again` |
//! | stopped from outside it leaves raw mode | `stopped_from_outside_it_gives_the_terminal_back_until_fg` |
//! | a paste of many lines runs as commands | `a_paste_of_many_lines_is_text` |
//! | a large paste freezes it | `input_that_pours_in_is_drawn_and_signals_are_honoured` |
//! | wide tables cannot be read | `tui::tests::wide_tables_are_kept_whole_and_scrolled_sideways` |
//! | results cannot be taken out | `results_are_written_to_a_file`, `tui::export::tests` |
//! | a message is mixed with the page | `where_nothing_can_open_the_original_one_line_says_so`, `tui::tests::a_line_for_the_user_lies_over_the_page_never_in_it` |
//! | an export goes somewhere, over something | `an_export_is_written_where_the_user_says_and_over_nothing` |
//! | `$EDITOR` or `$PAGER` loses its input | `a_pager_has_the_keys_and_gives_them_back` |

mod ends;
mod faults;
mod input;
mod shown;
mod terminal;
mod work;

const QUESTION: &str = "What were Nike's total revenues in fiscal 2023?";
