import type { Embeddings } from '../domain/embeddings.ts';
import type { Passage, Source } from '../domain/passage.ts';

/** Of how texts are prepared before they are embedded. Another one embeds all texts anew, as another model does (0091). */
const PREPARATIONS = ['', '#1', '#2'] as const;
const PREPARATION = PREPARATIONS[2];

/** What vectors of this encoder have been stored under. */
export const namesFromBefore = (model: string): readonly string[] => PREPARATIONS.map((mark) => model + mark);

/** Vectors are told apart by their model and by how their texts were prepared. */
export const asStored = (embeddings: Embeddings): Embeddings => ({
  ...embeddings,
  model: embeddings.model + PREPARATION,
});

/**
 * The encoder whose vectors are stored under this name: of an earlier preparation it is the same one, as questions are embedded as they
 * are. `encoder`: the one that is called so.
 */
export function storedBefore(name: string, encoder: (model: string) => Embeddings | undefined): Embeddings | undefined {
  const found = encoder(name.replace(/#\d+$/, ''));
  return found && { ...found, model: name };
}

/**
 * What a passage is embedded as: what it is of, and under which heading it stands, says what a table or a pronoun in it is about.
 * Messages are called by the first words of their conversation, which say nothing of them.
 */
export function embeddedText(
  { kind, title }: Pick<Source, 'kind' | 'title'>,
  { text, heading }: Pick<Passage, 'text' | 'heading'>,
) {
  if (kind === 'MESSAGE') return text;
  const above = [nameOf({ kind, title }), heading ?? ''].filter((part) => part !== '').join(': ');
  return above === '' ? text : `${above}\n\n${text}`;
}

/** What the name of a source adds to what its passages are embedded as. */
export function nameOf({ kind, title }: Pick<Source, 'kind' | 'title'>): string {
  if (kind === 'MESSAGE') return '';
  return kind === 'DOCUMENT' ? inWords(title) : title;
}

/** Longer names say no more, and leave an encoder no room for the text. */
const MAX_NAME = 120;

/** The name of a file without its ending, and with spaces. */
const inWords = (name: string): string =>
  name
    .replace(/\.[a-z][a-z0-9]{1,4}$/i, '')
    .replaceAll(/[_\s]+/g, ' ')
    .trim()
    .slice(0, MAX_NAME)
    .toWellFormed();
