import type { Logger } from '@platform-backend/core';
import type { ApiKeys, KeyUse } from '../domain/api-keys.ts';

/** Remembers when keys were used until it is written, so that no request waits for it. */
export interface KeyUses {
  note(use: KeyUse): void;
  /** Writes what has been noted. Never throws: what could not be written is tried again next time. */
  flush(): Promise<void>;
}

/** Keys remembered at most between two writes; uses of further keys are forgotten rather than held in memory. */
const maxKeys = 100_000;

/** Times are kept to the minute: finer ones would tell more about a client than anybody needs to know. */
export function keyUses(apiKeys: Pick<ApiKeys, 'recordUses'>, logger: Logger): KeyUses {
  let noted = new Map<string, KeyUse>();

  const note = (use: KeyUse) => {
    if (noted.size >= maxKeys && !noted.has(use.apiKeyId)) return;
    noted.set(use.apiKeyId, { ...use, at: startOfMinute(use.at) });
  };

  return {
    note,
    flush: async () => {
      const uses = [...noted.values()];
      if (uses.length === 0) return;
      noted = new Map();
      try {
        await apiKeys.recordUses(uses);
      } catch (error) {
        logger.warn(
          { event: 'api_key_uses.write_failed', err: error, keys: uses.length },
          'the last use of keys could not be written yet',
        );
        // What was noted meanwhile is newer.
        for (const use of uses) if (!noted.has(use.apiKeyId)) note(use);
      }
    },
  };
}

const startOfMinute = (at: Date): Date => new Date(Math.floor(at.getTime() / 60_000) * 60_000);
