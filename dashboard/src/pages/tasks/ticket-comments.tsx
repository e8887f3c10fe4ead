import { joinPath } from "../../api/client.ts";
import type { CommentAnswer, CommentList } from "../../api/contract.ts";
import { useAction, usePages } from "../../api/use-api.ts";
import { RequireRole } from "../../app/session.tsx";
import { Button } from "../../ui/button.tsx";
import { FormProblem, TextArea } from "../../ui/form.tsx";
import { PanelSection } from "../../ui/side-panel.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { useDraft } from "../../ui/use-draft.ts";

const PAGE_SIZE = 50;

/** The comments of a ticket, oldest first. */
export function Comments({ ticket }: { ticket: string }) {
  const path = joinPath("tickets", ticket, "comments");
  const pages = usePages<CommentList>(path, { limit: PAGE_SIZE }, (page, all) =>
    page.comments.length < PAGE_SIZE ? undefined : { offset: all.length * PAGE_SIZE },
  );
  const comments = pages.data?.pages.flatMap((page) => page.comments) ?? [];
  return (
    <PanelSection title={`Comments${comments.length > 0 ? ` (${pages.data?.pages[0]?.total})` : ""}`}>
      <ol className="flex flex-col gap-3">
        {comments.map(({ id, createdBy, createdAt, text }) => (
          <li key={id}>
            <div className="text-xs text-soft">
              <UntrustedText text={createdBy ?? "A person"} /> · <Time at={createdAt} />
            </div>
            <UntrustedText text={text} max={2_000} />
          </li>
        ))}
      </ol>
      {pages.hasNextPage && (
        <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          Show more
        </Button>
      )}
      <RequireRole role="operator">
        <CommentForm ticket={ticket} path={path} />
      </RequireRole>
    </PanelSection>
  );
}

function CommentForm({ ticket, path }: { ticket: string; path: string }) {
  const [text, setText, clearDraft] = useDraft(`comment.${ticket}`, "");
  const post = useAction({
    run: (client, comment: string) => client.post<CommentAnswer>(path, { text: comment }),
    invalidates: ["/tickets"],
    quiet: true,
  });
  return (
    <form
      className="mt-3 flex flex-col gap-2"
      onSubmit={async (event) => {
        event.preventDefault();
        if (await post.run(text)) clearDraft();
      }}
    >
      <TextArea
        aria-label="Comment"
        placeholder="Write a comment. Agents read it as well."
        rows={3}
        maxLength={10_000}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <FormProblem problem={post.problem} />
      <div>
        <Button type="submit" busy={post.isBusy} disabled={text.trim() === ""}>
          Comment
        </Button>
      </div>
    </form>
  );
}
