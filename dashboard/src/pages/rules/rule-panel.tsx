import { joinPath } from "../../api/client.ts";
import type { RuleView } from "../../api/contract.ts";
import { useAction } from "../../api/use-api.ts";
import { navigate, urlWith } from "../../app/location.ts";
import { useHasRole } from "../../app/session.tsx";
import { Badge, StateMark } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { useConfirm } from "../../ui/confirm.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { TextLink } from "../../ui/link.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { ACTIONS, ruleInWords, whereFrom } from "./rule-words.ts";
import { Simulate } from "./simulate.tsx";

/** One rule: what it says, where it comes from, and what would be without it. */
export function RulePanel({ rule }: { rule: RuleView }) {
  const isAdmin = useHasRole("admin");
  const { id, action, permission, pattern, final, after, note, agent, createdAt, expiresAt } = rule;
  return (
    <SidePanel
      title={ACTIONS[action].label}
      closeTo={urlWith({}, "/rules")}
      footer={isAdmin && id !== null && <RuleButtons id={id} rule={rule} />}
    >
      <PanelSection>
        <p className="mb-3 text-base font-medium">
          <UntrustedText text={ruleInWords(rule)} max={1_000} />
        </p>
        <KeyValues
          pairs={[
            [
              "Says",
              <StateMark key="says" tone={ACTIONS[action].tone}>
                {ACTIONS[action].label}
              </StateMark>,
            ],
            ["About", <UntrustedText key="about" text={permission} mono />],
            [
              "Only where",
              pattern !== null && <UntrustedText key="where" text={JSON.stringify(pattern)} mono />,
            ],
            ["Only after", after],
            [
              "Final",
              final && (
                <Badge key="final" tone="bad">
                  nothing may loosen it
                </Badge>
              ),
            ],
            [
              "For",
              agent === null ? (
                "every agent"
              ) : (
                <TextLink key="for" to={joinPath("agents", agent)}>
                  <UntrustedText text={agent} />
                </TextLink>
              ),
            ],
            ["Comes from", <UntrustedText key="from" text={whereFrom(rule)} />],
            ["Written", createdAt !== null && <Time key="written" at={createdAt} />],
            ["Until", expiresAt !== null && <Time key="until" at={expiresAt} />],
            ["Note", note !== "" && <UntrustedText key="note" text={note} />],
          ]}
        />
      </PanelSection>
      {id !== null ? (
        <PanelSection title="Without this rule">
          <Simulate input={{ without: id }} label="See what would be decided differently" />
        </PanelSection>
      ) : (
        <PanelSection>
          <p className="text-soft">
            {rule.from === "default"
              ? "It comes with Toolkeep and stands behind every other rule: write one of your own to decide otherwise."
              : "It stands in a settings file and is changed there."}
          </p>
        </PanelSection>
      )}
    </SidePanel>
  );
}

function RuleButtons({ id, rule }: { id: string; rule: RuleView }) {
  const confirm = useConfirm();
  const remove = useAction({
    run: (client) => client.delete(joinPath("rules", id)),
    successMessage: "The rule is removed",
    invalidates: ["/rules"],
  });
  const drop = async () => {
    const isConfirmed = await confirm({
      title: "Remove this rule?",
      description: `"${ruleInWords(rule)}" no longer counts, from the next call on. The rules below it decide then.`,
      action: "Remove",
      danger: true,
    });
    if (isConfirmed && (await remove.run()) !== undefined) navigate(urlWith({}, "/rules"));
  };
  return (
    <div className="flex flex-wrap gap-2">
      <Button look="primary" onClick={() => navigate(urlWith({ edit: id }))}>
        Edit
      </Button>
      <Button look="danger" icon="trash" busy={remove.isBusy} onClick={() => void drop()}>
        Remove …
      </Button>
    </div>
  );
}
