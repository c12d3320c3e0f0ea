import { describe, expect, it } from '@jest/globals';
import type { Embeddings } from '../domain/embeddings.ts';
import { asStored, embeddedText, storedBefore } from './prepare-text.ts';

const encoder = (model: string): Embeddings => ({ model, embed: () => Promise.resolve([]) });

describe('a passage that is embedded', () => {
  const passage = { text: 'Receipts are handed in within six weeks.', heading: 'Deadlines' };

  it('has the name of its document, as somebody would say it, and its heading in front', () => {
    expect(embeddedText({ kind: 'DOCUMENT', title: 'travel_rules.pdf' }, passage)).toBe(
      'travel rules: Deadlines\n\nReceipts are handed in within six weeks.',
    );
    expect(embeddedText({ kind: 'DOCUMENT', title: 'Release 2.14' }, { text: 'New.' })).toBe('Release 2.14\n\nNew.');
    expect(embeddedText({ kind: 'CONVENTION', title: 'a.b_c' }, { text: 'x' })).toBe('a.b_c\n\nx');
    expect(embeddedText({ kind: 'DOCUMENT', title: '' }, { text: 'x' })).toBe('x');
    const long = embeddedText({ kind: 'DOCUMENT', title: 'x'.repeat(1_000) }, { text: 'y' });
    expect(long).toHaveLength(120 + '\n\ny'.length);
  });

  it('stands for itself in a message', () => {
    expect(embeddedText({ kind: 'MESSAGE', title: 'Hello' }, passage)).toBe(passage.text);
  });

  it('is of another model where texts were prepared in another way, which the same encoder answers', () => {
    const current = asStored(encoder('m'));
    expect(current.model).not.toBe('m');
    const names: string[] = [];
    const find = (name: string) => {
      names.push(name);
      return encoder(name);
    };
    expect([storedBefore('m', find)?.model, storedBefore('m#1', find)?.model]).toEqual(['m', 'm#1']);
    expect(names).toEqual(['m', 'm']);
    expect(storedBefore('gone', () => undefined)).toBeUndefined();
  });
});
