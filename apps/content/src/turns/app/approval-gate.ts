import type { ToolEffects } from '../../assistants/domain/assistant.ts';
import type { Approval } from '../domain/approval.ts';
import type { ModelTool } from '../domain/language-model.ts';

/** Stands between a model and tools with effects in one turn. */
export interface ApprovalGate {
  /** What whoever has asked is to approve, as soon as the model has called for it. */
  readonly requested: Approval | undefined;
  /** The tools as the model may call them: those that only read as they are. */
  readonly guard: (tools: readonly ModelTool[]) => readonly ModelTool[];
}

interface GateOptions {
  readonly effects: ToolEffects;
  /** Whoever has asked is there to approve. */
  readonly isAttended: boolean;
  readonly toolCallId: string;
  readonly expiresAt: () => Date;
}

/** For the model. */
const ASKED = 'This is not done: the person is asked now whether it may be. End your answer here.';
const ONE_AT_A_TIME = 'This is not done: the person is asked about something else already.';
const NOBODY_THERE = 'This is not done: a person would have to approve it, and nobody is there. Say so in your answer.';

/** Nothing that a model has read, a document of somebody else say, brings about an effect: a person does. */
export function approvalGate({ effects, isAttended, toolCallId, expiresAt }: GateOptions): ApprovalGate {
  let requested: Approval | undefined;
  const asking = ({ effect, ...tool }: ModelTool): ModelTool => ({
    ...tool,
    run: async (given, signal) => {
      if (!isAttended) return NOBODY_THERE;
      const would = await effect?.(given, signal);
      if (would === undefined) return 'There is nothing to do by these arguments.';
      if (requested) return ONE_AT_A_TIME;
      requested = {
        ...{ toolCallId, tool: tool.name, arguments: given },
        ...{ summary: would, expiresAt: expiresAt(), status: 'pending' },
      };
      return ASKED;
    },
  });
  return {
    get requested() {
      return requested;
    },
    guard: (tools) =>
      tools.flatMap((tool) => {
        if (!tool.effect || (effects === 'always' && !tool.asksAlways)) return [tool];
        return effects === 'never' ? [] : [asking(tool)];
      }),
  };
}
