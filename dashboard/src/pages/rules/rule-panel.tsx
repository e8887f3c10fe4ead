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
import { ACTIONS, describeRule, describeSource } from "./rule-labels.ts";
import { SimulateButton } from "./simulation.tsx";

/** One rule: what it decides, its source, and what would change without it. */
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
          <UntrustedText text={describeRule(rule)} max={1_000} />
        </p>
        <KeyValues
          pairs={[
            [
              "Action",
              <StateMark key="says" tone={ACTIONS[action].tone}>
                {ACTIONS[action].label}
              </StateMark>,
            ],
            ["Tools", <UntrustedText key="about" text={permission} mono />],
            [
              "Pattern",
              pattern !== null && <UntrustedText key="where" text={JSON.stringify(pattern)} mono />,
            ],
            ["After label", after],
            [
              "Final",
              final && (
                <Badge key="final" tone="bad">
                  cannot be overridden
                </Badge>
              ),
            ],
            [
              "Agent",
              agent === null ? (
                "Every agent"
              ) : (
                <TextLink key="for" to={joinPath("agents", agent)}>
                  <UntrustedText text={agent} />
                </TextLink>
              ),
            ],
            ["Source", <UntrustedText key="from" text={describeSource(rule)} />],
            ["Added", createdAt !== null && <Time key="written" at={createdAt} />],
            ["Expires", expiresAt !== null && <Time key="until" at={expiresAt} />],
            ["Note", note !== "" && <UntrustedText key="note" text={note} />],
          ]}
        />
      </PanelSection>
      {id !== null ? (
        <PanelSection title="Effect">
          <SimulateButton input={{ without: id }} label="Test recent calls without this rule" />
        </PanelSection>
      ) : (
        <PanelSection>
          <p className="text-soft">
            {rule.from === "default"
              ? "This rule is built-in and ranks below every other rule. Add your own rule to override it."
              : "This rule comes from a settings file. Change it there."}
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
    successMessage: "Rule removed",
    invalidates: ["/rules"],
  });
  const confirmRemove = async () => {
    const isConfirmed = await confirm({
      title: "Remove this rule?",
      description: `"${describeRule(rule)}" no longer applies from the next call on. Less specific rules decide instead.`,
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
      <Button look="danger" icon="trash" busy={remove.isBusy} onClick={() => void confirmRemove()}>
        Remove
      </Button>
    </div>
  );
}
