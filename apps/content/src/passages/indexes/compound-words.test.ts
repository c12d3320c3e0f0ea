import { describe, expect, it } from '@jest/globals';
import { CompoundWords, partsOf } from './compound-words.ts';
import { sameBudgets } from './index-parts.ts';
import { OrganisationIndex } from './organisation-index.ts';
import { searchIndexes } from './search-indexes.ts';

describe('compounds that texts have', () => {
  it('are found by what they begin or end with, each once, however many there are', () => {
    const words = new CompoundWords();
    for (let at = 0; at < 3_000; at += 1) words.add(`wort${String.fromCodePoint(97 + (at % 26))}nummer${String(at)}`);
    for (const word of ['urlaubsantrag', 'antragsfrist', 'antrag', 'antragsantrag', 'vertrag']) words.add(word);
    expect([...words.with('antrag')].toSorted()).toEqual(['antragsantrag', 'antragsfrist', 'urlaubsantrag']);
    words.add('bauantrag');
    expect([...words.with('antrag')]).not.toContain('bauantrag');
    words.add('reiseantrag');
    expect([...words.with('antrag')]).toContain('reiseantrag');
  });

  it('are taken apart where both parts are known, with what stands between them', () => {
    const known = new Set(['urlaub', 'antrag', 'rente', 'beitrag', 'trag']);
    const isKnown = (word: string): boolean => known.has(word);
    expect(partsOf('urlaubsantrag', isKnown)).toEqual(['urlaub', 'antrag']);
    expect(partsOf('rentenbeitrag', isKnown)).toEqual(['rente', 'beitrag']);
    expect(partsOf('bauantrag', isKnown)).toBeUndefined();
  });
});

describe('a search in German', () => {
  const index = new OrganisationIndex(sameBudgets(100));
  const put = (id: string, text: string, readers?: string[]) =>
    index.put({ kind: 'DOCUMENT', id, title: '', generation: id, createdAt: 0, ...(readers && { readers }) }, [
      { ordinal: 0, text },
    ]);
  put('leave', 'Die Urlaubsanträge sind im Portal zu stellen und werden nicht vergessen.');
  put('visits', 'Für Besucher gibt es Ausweise, die am Empfang und nicht im Büro liegen.');
  put('rent', 'Die Miete ist am Ersten eines jeden Monats zu zahlen und nicht am Letzten.');
  const found = (text: string) => searchIndexes([index], { text, mode: 'keyword', limit: 5 }).map(({ id }) => id);

  it('finds a compound by its parts, and what says in several words what the question says in one', () => {
    expect(found('Antrag')).toEqual(['leave']);
    expect(found('Urlaub')).toEqual(['leave']);
    expect(found('Besucherausweis')).toEqual(['visits']);
    expect(found('Mietvertrag')).toEqual([]);
  });

  it('finds what its reader may read, however many compounds others have', () => {
    const own = new OrganisationIndex(sameBudgets(1_000));
    const add = (id: string, text: string, readers: string[]) =>
      own.put({ kind: 'DOCUMENT', id, title: '', generation: id, createdAt: 0, readers }, [{ ordinal: 0, text }]);
    for (let at = 0; at < 300; at += 1) {
      const letters = String.fromCodePoint(97 + (at % 26), 97 + Math.floor(at / 26));
      add(`secret ${String(at)}`, `Das ist nicht der Antrags${letters}${letters}.`, ['user:eve']);
    }
    add('leave', 'Das ist nicht der Urlaubsantrag.', ['user:ann']);
    const opening = { tokens: ['user:ann'], closedCollections: [], documents: [], assets: [] };
    const hits = searchIndexes([own], { text: 'Antrag', mode: 'keyword', limit: 5, opening });
    expect(hits.map(({ id }) => id)).toEqual(['leave']);
  });

  it('takes no part of a word for a word', () => {
    put('law', 'Der Kellerleiter ist nicht der Begleiter und die Frist nicht lang.');
    expect(found('Leiter')).toEqual(['law']);
    index.drop('DOCUMENT', 'law');
    put('escort', 'Der Begleiter kommt und die Frist ist nicht lang.');
    expect(found('Leiter')).toEqual([]);
  });
});
