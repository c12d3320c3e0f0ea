import { describe, expect, it } from '@jest/globals';
import { accessChange, groupToken, keyToken, memberToken, readersOf, withAccess } from './access.ts';
import { openBy, type Opening } from './opening.ts';

const nothing: Opening = { tokens: [], closedCollections: [], documents: [], assets: [] };
const access = { groups: ['board'], members: ['ann'] };

describe('what somebody may open', () => {
  const restricted = { kind: 'DOCUMENT', id: 'd', readers: readersOf({ access, createdBy: 'ada', createdByKey: 'k' }) };

  it('is what names them, their group, or was made by them', () => {
    const isOpenTo = (...tokens: string[]) => openBy({ ...nothing, tokens })(restricted);
    for (const token of [memberToken('ann'), memberToken('ada'), groupToken('board'), keyToken('k')])
      expect(isOpenTo(token)).toBe(true);
    for (const token of [memberToken('board'), groupToken('ann'), keyToken('ada'), memberToken('*')])
      expect(isOpenTo(token)).toBe(false);
    expect(isOpenTo()).toBe(false);
  });

  it('is what nobody restricts, unless it is in a collection that is closed to them', () => {
    const isOpen = openBy({ ...nothing, tokens: [memberToken('ben')], closedCollections: ['hr'] });
    expect(isOpen({ kind: 'DOCUMENT', id: 'd' })).toBe(true);
    expect(isOpen({ kind: 'DOCUMENT', id: 'd', collection: 'it', readers: readersOf({}) })).toBe(true);
    expect(isOpen({ kind: 'DOCUMENT', id: 'd', collection: 'hr', readers: readersOf({}) })).toBe(false);
    expect(isOpen({ kind: 'DOCUMENT', id: 'd', collection: 'hr' })).toBe(false);
    expect(isOpen({ kind: 'DOCUMENT', id: 'd', collection: 'hr', readers: readersOf({ createdBy: 'ben' }) })).toBe(
      true,
    );
  });

  it('is what the lists of groups open, each kind by its own', () => {
    const isOpen = openBy({ ...nothing, documents: ['d'], assets: ['c'], closedCollections: ['hr'] });
    expect(isOpen({ ...restricted, collection: 'hr' })).toBe(true);
    expect(isOpen({ ...restricted, id: 'c' })).toBe(false);
    expect(isOpen({ ...restricted, kind: 'CONVENTION', id: 'c' })).toBe(true);
    expect(isOpen({ ...restricted, kind: 'CONVENTION', id: 'd' })).toBe(false);
  });
});

describe('the access of a thing', () => {
  it('is the same in another order, and then the same object', () => {
    const thing = { access: { groups: ['a', 'b'], members: [] } };
    expect(withAccess(thing, { groups: ['b', 'a'], members: [] })).toBe(thing);
    expect(withAccess({}, undefined)).toEqual({});
    expect(withAccess(thing, undefined)).toEqual({});
  });

  it('is shown with what it was before', () => {
    expect(accessChange({}, { access })).toEqual({
      before: { access: { visibility: 'organisation', groups: [], members: [] } },
      after: { access: { visibility: 'restricted', ...access } },
    });
  });
});
