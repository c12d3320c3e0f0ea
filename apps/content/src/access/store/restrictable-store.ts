import {
  documentStore,
  type DocumentStore,
  type DocumentStoreOptions,
  type Identified,
  type Schema,
  type StateOf,
} from '@platform-backend/mongo';
import { readersOf, type Restrictable } from '../domain/access.ts';

/** What follows from a thing's access, and is stored for filters alone. */
interface Derived {
  readonly readers?: readonly string[];
  readonly visibility?: 'restricted';
}

/** Only what is restricted by itself, or only what is not. */
export const visibilityFilter = (visibility: 'organisation' | 'restricted' | null) =>
  visibility === null ? {} : { visibility: visibility === 'restricted' ? 'restricted' : null };

/** A document store of things that can be restricted. */
export function restrictableStore<State extends Identified & Restrictable & StateOf<Of>, Of extends Schema = never>(
  options: DocumentStoreOptions,
): DocumentStore<State> {
  const store = documentStore<State & Derived>(options);
  const stateOf = ({ readers: _readers, visibility: _visibility, ...state }: State & Derived): State =>
    state as unknown as State;
  const storedOf = (state: State): State & Derived => ({
    ...state,
    readers: readersOf(state),
    ...(state.access && { visibility: 'restricted' as const }),
  });
  return {
    async find(organisationId, id) {
      const found = await store.find(organisationId, id);
      return found && stateOf(found);
    },
    async page(organisationId, request, listing) {
      const page = await store.page(organisationId, request, listing);
      return { ...page, items: page.items.map(stateOf) };
    },
    update: (by, id, decide) =>
      store.update(by, id, (found) => {
        const before = found && stateOf(found);
        const { state, events, result } = decide(before);
        if (state === before) return { state: found, events, result };
        return { state: state && storedOf(state), events, result };
      }),
    removeAll: store.removeAll,
  };
}
