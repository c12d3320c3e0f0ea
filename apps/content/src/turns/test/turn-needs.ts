import { creditLedger } from '@platform-backend/contract-billing/client/testing';
import type { AssistantReply, TurnEvent } from '@platform-backend/contract-content';
import type { CallOptions } from '@platform-backend/grpc';
import { waitFor } from '@platform-backend/testing';
import { openAiDouble } from '../../../test/openai-double.ts';
import { keys, type TestContent } from '../../../test/test-content.ts';

/** Credits for whoever asks, and texts that are found by their words. */
export async function startTurnNeeds() {
  const ledger = await creditLedger(keys);
  const noEncoder = await openAiDouble(() => ({ status: 400, body: {} }));
  return {
    ledger,
    environment: { BILLING_ADDRESS: ledger.address, EMBEDDINGS_BASE_URL: noEncoder.baseUrl },
    close: async () => {
      await noEncoder.close();
      await ledger.close();
    },
  };
}

export const ASSISTANT = { assistantName: 'general' };

/** A convention that can be found. */
export async function agreeOn(content: TestContent, by: CallOptions, title: string, text: string): Promise<string> {
  const { id } = await content.conventions.createConvention({ title, content: text }, by);
  await waitFor(async () => (await content.search.search({ query: title }, by)).hits.length > 0, { what: 'the index' });
  return id;
}

export const ask = (
  content: TestContent,
  newMessage: string,
  by: CallOptions,
  more: object = {},
): Promise<AssistantReply> => content.assistants.submitToAssistant({ ...ASSISTANT, newMessage, ...more }, by);
export const textOf = (events: readonly TurnEvent[]): string => events.map(({ data }) => data?.text ?? '').join('');
