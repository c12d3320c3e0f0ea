import type { ActorContext, Decision } from '@platform-backend/core';
import type { OfOrganisation } from '../../conversations/domain/conversations.ts';
import type { ContentEvent } from '../../events.ts';
import type { ChatCompletion } from './chat-completion.ts';

/** The answers that clients of OpenAI's interface were given in organisations. */
export interface ChatCompletions {
  /** Loads, decides and saves, with the events. */
  readonly update: <Result>(
    by: ActorContext,
    id: string,
    decide: (completion: ChatCompletion | undefined) => Decision<ChatCompletion | undefined, ContentEvent, Result>,
  ) => Promise<Result>;
  /** Of all organisations, whose lease has ended before. */
  readonly withExpiredLease: (before: Date, limit: number) => Promise<readonly OfOrganisation[]>;
  /** In how many milliseconds the first lease ends; undefined: nobody answers. */
  readonly untilExpiredLease: (at: Date) => Promise<number | undefined>;
  /** All of an organisation's, without events of their own. */
  readonly removeAll: (organisationId: string) => Promise<unknown>;
}
