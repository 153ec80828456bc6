// Asks before something that cannot be undone.
import { closeDialog, type OpenDialog } from "../state/layout.ts";
import { Dialog } from "./dialog.tsx";

export function QuestionDialog({ question }: OpenDialog) {
  if (!question) return null;
  return (
    <Dialog title={question.title} onClose={closeDialog}>
      <p>{question.text()} This cannot be undone.</p>
      <div class="row end">
        <button type="button" class="button" autofocus onClick={closeDialog}>
          Cancel
        </button>
        <button
          type="button"
          class="button button-danger"
          onClick={() => {
            closeDialog();
            question.run();
          }}
        >
          {question.action}
        </button>
      </div>
    </Dialog>
  );
}
