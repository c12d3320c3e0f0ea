import type { Message } from '../../conversations/domain/message.ts';
import { modelNameOf } from '../../tool-servers/domain/server-tool.ts';
import { approvalOf } from '../domain/approval.ts';
import { ToolRefusal } from '../domain/language-model.ts';
import type { AnswerTools } from './answer-tools.ts';
import type { TurnExecution, WritingPorts } from './turn-execution.ts';

/** What came of the call that the message before asked for, where that was approved; in words for the model. */
export async function executeApproved(
  { conversationTurns }: Pick<WritingPorts, 'conversationTurns'>,
  { by, assistant }: TurnExecution,
  tools: AnswerTools,
  asked: Message | undefined,
): Promise<string | undefined> {
  const approval = asked && approvalOf(asked);
  if (!asked || approval?.status !== 'approved') return undefined;
  const { tool: name } = approval;
  // In the turn that asked for it: what is done again, after the end of a process say, is done once.
  const usable = tools.ofTurn(asked.id);
  const tool = assistant.toolEffects === 'never' ? undefined : usable.find((one) => one.name === name);
  if (!tool && tools.unavailable.some((server) => name.startsWith(modelNameOf(server, ''))))
    return 'It is approved and was not carried out: its server cannot be reached now.';
  if (!tool) return 'It is approved and was not carried out: the tool may be used no more.';
  if (tool.isOnce && !(await conversationTurns.claimApproved(by, asked.id)))
    return 'It was begun before, and is not done twice. What came of it then is not known here.';
  const result = await tools.use(tool, approval.arguments);
  if ('text' in result) return result.text;
  if (result.error instanceof ToolRefusal) return result.error.forModel;
  return 'The tool has failed: it does not work right now. Say so in your answer, and what is missing for it.';
}
