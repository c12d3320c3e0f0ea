import { setImmediate as others } from 'node:timers/promises';

/** UTF-16 units that are counted within some 10 ms, whatever they say: letters and digits at random take 50 times as long as words. */
const PIECE = 2_000;

/**
 * About how many tokens texts have together, counted piece by piece, between which whoever else waits for this thread comes first, in all that
 * is counted by the same one. Where there are more than `upTo`, it is counted no further.
 */
export function countingInPieces(countTokens: (text: string) => number) {
  let sinceOthers = 0;
  return async (texts: Iterable<string>, upTo = Infinity): Promise<number> => {
    let tokens = 0;
    for (const text of texts)
      for (let at = 0; at < text.length; at += PIECE) {
        const piece = text.slice(at, at + PIECE);
        sinceOthers += piece.length;
        if (sinceOthers > PIECE) {
          await others();
          sinceOthers = piece.length;
        }
        tokens += countTokens(piece);
        if (tokens > upTo) return tokens;
      }
    return tokens;
  };
}
