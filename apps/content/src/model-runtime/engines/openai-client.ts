import { DomainError, unavailable, upstreamFailed } from '@platform-backend/core';
import OpenAI from 'openai';

export interface ApiOptions {
  /** With its version: `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Servers of one's own often need none. */
  readonly apiKey: string | undefined;
  readonly model: string;
}

/** Any server that speaks OpenAI's protocol. It asks again twice, with growing pauses, or as long as the server says. */
export const openAiClient = ({ baseUrl, apiKey }: ApiOptions, timeoutMs: number): OpenAI =>
  new OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey ?? 'none',
    maxRetries: 2,
    timeout: timeoutMs,
    // Its own variables shall not lead to another account.
    organization: null,
    project: null,
    logLevel: 'off',
  });

/** UNAVAILABLE: it cannot be reached, or is asked too often; UPSTREAM_FAILED: it answers with anything else. */
export async function asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DomainError) throw error;
    if (error instanceof OpenAI.RateLimitError && error.code !== 'insufficient_quota') {
      const seconds = Number(error.headers.get('retry-after'));
      throw unavailable(error, seconds > 0 && seconds <= 3600 ? Math.ceil(seconds) : 5);
    }
    // Time-outs and calls that were given up are among them.
    if (error instanceof OpenAI.APIConnectionError || error instanceof OpenAI.APIUserAbortError) {
      throw unavailable(error);
    }
    throw upstreamFailed(error);
  }
}
