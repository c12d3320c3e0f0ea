import type { Adapter, AdapterPayload } from 'oidc-provider';

/** Sessions, codes and refresh tokens of development: so many, the oldest go first. */
const MAX_KEPT = 1_000;

interface Kept {
  readonly payload: AdapterPayload;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/** What the provider remembers of people who sign in; a new start has forgotten it. */
export function memoryStore(): (model: string) => Adapter {
  const kept = new Map<string, Kept>();
  const valid = (key: string): AdapterPayload | undefined => {
    const found = kept.get(key);
    return found && found.endsAt > Date.now() ? found.payload : undefined;
  };
  return (model) => {
    const keyOf = (id: string): string => `${model}:${id}`;
    const findBy = (matches: (payload: AdapterPayload) => boolean): AdapterPayload | undefined =>
      [...kept.keys()]
        .filter((key) => key.startsWith(keyOf('')))
        .map(valid)
        .find((payload) => payload && matches(payload));
    return {
      upsert: (id, payload, expiresIn = 0) => {
        kept.delete(keyOf(id));
        kept.set(keyOf(id), { payload, endsAt: expiresIn > 0 ? Date.now() + expiresIn * 1_000 : Infinity });
        for (const oldest of kept.keys()) {
          if (kept.size <= MAX_KEPT) break;
          kept.delete(oldest);
        }
        return Promise.resolve();
      },
      find: (id) => Promise.resolve(valid(keyOf(id))),
      findByUid: (uid) => Promise.resolve(findBy((payload) => payload.uid === uid)),
      findByUserCode: (userCode) => Promise.resolve(findBy((payload) => payload.userCode === userCode)),
      consume: (id) => {
        const payload = valid(keyOf(id));
        if (payload) payload['consumed'] = Math.floor(Date.now() / 1_000);
        return Promise.resolve();
      },
      destroy: (id) => {
        kept.delete(keyOf(id));
        return Promise.resolve();
      },
      revokeByGrantId: (grantId) => {
        for (const [key, { payload }] of kept) if (payload.grantId === grantId) kept.delete(key);
        return Promise.resolve();
      },
    };
  };
}
