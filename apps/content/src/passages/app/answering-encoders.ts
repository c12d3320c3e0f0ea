import type { Embeddings } from '../domain/embeddings.ts';
import type { Encoders } from '../domain/encoders.ts';
import type { PassageStore } from '../domain/passage-store.ts';

/** `before`: the encoder of that name, where it can still be had. */
export function answeringEncoders(
  current: Embeddings,
  before: (model: string) => Embeddings | undefined,
  passageStore: Pick<PassageStore, 'answeringModel'>,
): Encoders {
  const of = (model: string): Embeddings | undefined => (model === current.model ? current : before(model));
  /** Organisations that the current one answers: of a process it stays the same. */
  const settled = new Set<string>();
  return {
    current,
    of,
    async answering(organisationId) {
      if (settled.has(organisationId)) return current;
      const model = await passageStore.answeringModel(organisationId, current.model);
      if (model === current.model) settled.add(organisationId);
      return of(model) ?? current;
    },
  };
}
