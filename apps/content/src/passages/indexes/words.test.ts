import { describe, expect, it } from '@jest/globals';
import { queryTerms, wordsOf } from './words.ts';

const termsOf = (text: string) => [...wordsOf(text)].map(({ term }) => term);

describe('words of a text, as searches know them', () => {
  it('are compared without endings, accents and case', () => {
    expect(termsOf('Approving approvals')).toEqual(termsOf('APPROVED approval'));
    expect(termsOf('Café Straße')).toEqual(['cafe', 'straße']);
  });

  it('stand where they stand in the text', () => {
    const text = 'Die Größe: 12 µm';
    expect([...wordsOf(text)].map(({ start, end }) => text.slice(start, end))).toEqual(['Die', 'Größe', '12', 'µm']);
  });

  it('are pairs of letters in scripts without spaces', () => {
    const text = '東京都は広い';
    expect(termsOf(text)).toEqual(['東京', '京都', '都は', 'は広', '広い']);
    expect([...wordsOf(text)].map(({ start, end }) => text.slice(start, end))).toEqual(termsOf(text));
  });

  it.each([
    ['German', 'Die Kündigungen und der Verträge', 'die Kündigung und der Vertrag'],
    ['French', 'les décisions et les réunions', 'la décision et la réunion'],
    ['Spanish', 'las facturas y los contratos', 'la factura y el contrato'],
    ['Dutch', 'de rekeningen zijn niet van de contracten', 'een rekening is niet van het contract'],
  ])('of %s lose the endings of their language', (_language, many, one) => {
    const telling = (text: string) => termsOf(text).filter((term) => term.length > 7);
    expect(telling(many)).toEqual(telling(one));
  });

  it('of a script with spaces are told apart from those of one without', () => {
    expect(termsOf('GPT技術とAI')).toEqual(['gpt', '技術', '術と', 'ai']);
  });

  it('are looked up in every form that a text may have them in, and never stand for a word of another language', () => {
    const german = new Set(termsOf('Die Kündigung der Verträge ist schriftlich'));
    const [notice = []] = queryTerms('Kündigungen');
    expect(notice.some((form) => german.has(form))).toBe(true);
    const english = new Set(termsOf('this is not a note'));
    expect(
      queryTerms('notas de la reunión')
        .flat()
        .filter((form) => english.has(form)),
    ).toEqual([]);
  });

  it('of a question are those that say something, unless there are only others', () => {
    const [first] = [queryTerms('Who invented canning?')].map((terms) => terms.map(([form]) => form));
    expect(first).toEqual(['invent', 'can']);
    expect(queryTerms('to be or not to be')).toHaveLength(4);
    expect(queryTerms('Was kostet die Kündigung?').map(([form]) => form)).toEqual(['de:kostet', 'de:kundig']);
  });
});
