/** The editor of statements: CodeMirror inside a shadow root, because the page's policy forbids its style elements. */
import { autocompletion, closeBrackets, closeCompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { schemaCompletionSource, keywordCompletionSource, sql } from "@codemirror/lang-sql";
import { bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { CheckAnswer } from "../../../contract/extension";
import { pageStrings } from "../page-strings";
import { fromColumns, type Names } from "./from-columns";
import { columnCompletion, hiveql, highlighter } from "./hiveql";
import editorStyles from "../styles/editor.css?inline";
import highlightStyles from "../styles/highlight.css?inline";

export type Problems = CheckAnswer["problems"];

/** What the page does with the text of the editor. */
export interface EditorHandle {
  /** Replaces the whole text; Ctrl+Z undoes it. */
  readonly replace: (text: string) => void;
}

interface EditorProps {
  /** The text at first; the editor keeps its own afterwards. */
  readonly initial: string;
  readonly onChange: (value: string) => void;
  readonly onRun: () => void;
  readonly onFormat: () => void;
  readonly handle: { current: EditorHandle | undefined };
  readonly problems: Problems;
  readonly names: Names;
  /** True while the text must stay as it is. */
  readonly isReadOnly: boolean;
  /** The editor takes the focus if it is still here: the user may have gone on while the editor was loaded. */
  readonly focusFrom: Element | null;
}

export function Editor({
  initial,
  onChange,
  onRun,
  onFormat,
  handle,
  problems,
  names,
  isReadOnly,
  focusFrom,
}: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const completion = useRef(new Compartment());
  const readOnly = useRef(new Compartment());
  const handlers = useRef({ onChange, onRun, onFormat });
  handlers.current = { onChange, onRun, onFormat };

  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(editorStyles + highlightStyles);
    root.adoptedStyleSheets = [sheet];
    const frame = document.createElement("div");
    root.append(frame);
    const editor = new EditorView({
      root,
      parent: frame,
      state: EditorState.create({
        doc: initial,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          closeBrackets(),
          highlightActiveLine(),
          lintGutter(),
          placeholder(pageStrings.submit.placeholder),
          syntaxHighlighting(highlighter),
          completion.current.of(completionOf(names)),
          readOnly.current.of(EditorState.readOnly.of(isReadOnly)),
          EditorView.lineWrapping,
          EditorView.domEventHandlers({ beforeinput: replaceLines }),
          EditorView.contentAttributes.of({ "aria-label": pageStrings.submit.statement }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) handlers.current.onChange(update.state.doc.toString());
          }),
          keymap.of([
            {
              key: "Mod-Enter",
              run: (target) => {
                // It would cover the result.
                closeCompletion(target);
                handlers.current.onRun();
                return true;
              },
            },
            {
              key: "Shift-Alt-f",
              run: () => {
                handlers.current.onFormat();
                return true;
              },
            },
            ...completionKeymap,
            ...defaultKeymap,
            ...historyKeymap,
            indentWithTab,
          ]),
        ],
      }),
    });
    view.current = editor;
    handle.current = {
      replace: (text) => {
        if (editor.state.readOnly) return;
        editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text }, userEvent: "input.format" });
        editor.focus();
      },
    };
    if (document.activeElement === focusFrom) editor.focus();
    return () => {
      handle.current = undefined;
      editor.destroy();
      frame.remove();
    };
  }, []);

  // Before the next key is pressed.
  useLayoutEffect(() => {
    view.current?.dispatch({ effects: readOnly.current.reconfigure(EditorState.readOnly.of(isReadOnly)) });
  }, [isReadOnly]);
  useEffect(() => {
    const editor = view.current!;
    editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state, problems)));
  }, [problems]);
  useEffect(() => {
    view.current!.dispatch({ effects: completion.current.reconfigure(completionOf(names)) });
  }, [names]);
  return <div class="editor" ref={host} />;
}

/** Replaces several selected lines without the browser, which would keep their looks as styles that the policy forbids. */
function replaceLines(event: InputEvent, view: EditorView): boolean {
  const { from, to } = view.state.selection.main;
  const isText = event.inputType === "insertText" && event.data !== null && !event.isComposing;
  if (!isText || view.state.readOnly || view.state.doc.lineAt(from).number === view.state.doc.lineAt(to).number)
    return false;
  view.dispatch(view.state.replaceSelection(event.data!), { userEvent: "input.type", scrollIntoView: true });
  return true;
}

/** Tables and columns of the catalog, keywords and functions. */
function completionOf(names: Names) {
  const language = sql({ dialect: hiveql, upperCaseKeywords: true });
  const schema = Object.fromEntries(
    Object.entries(names).map(([database, tables]) => [
      database,
      Object.fromEntries(Object.entries(tables).map(([table, columns]) => [table, columns.map(columnCompletion)])),
    ]),
  );
  return [
    language.language,
    language.language.data.of({
      autocomplete: schemaCompletionSource({ dialect: hiveql, schema, defaultSchema: "default" }),
    }),
    language.language.data.of({ autocomplete: fromColumns(names) }),
    language.language.data.of({ autocomplete: keywordCompletionSource(hiveql, true) }),
    autocompletion({ icons: false }),
  ];
}

/** Marks each problem from its position to the end of the word there. */
function diagnosticsOf(state: EditorState, problems: Problems): Diagnostic[] {
  return problems.map(({ line, column, message, severity }) => {
    if (line < 1 || line > state.doc.lines) return { from: 0, to: 0, message, severity };
    const at = state.doc.line(line);
    const from = Math.min(at.from + Math.max(0, column - 1), at.to);
    const word = /^(?:[\w$]+|[^\w\s])/.exec(at.text.slice(from - at.from))?.[0].length ?? 0;
    return { from, to: Math.max(from, from + word), message, severity };
  });
}
