import { describe, expect, it } from '@jest/globals';
import { countTokens } from '../extraction/tokens.ts';
import { countingInPieces } from './count-in-pieces.ts';

/** How often others had their turn while it was done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let [turns, isOver] = [0, false];
  const others = (): void => {
    turns += 1;
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  await work();
  isOver = true;
  return turns;
}

describe('the tokens of long texts', () => {
  it('are counted while others have their turn, however many texts there are', async () => {
    const sentence = 'Everybody has thirty days of holidays in a year. ';
    const whole = sentence.repeat(400);
    const count = countingInPieces(countTokens);
    expect(await turnsDuring(() => count([whole]))).toBeGreaterThan(5);
    expect(await turnsDuring(() => count(Array<string>(400).fill(sentence)))).toBeGreaterThan(5);
    const countEach = async () => {
      for (let texts = 0; texts < 400; texts += 1) await count([sentence]);
    };
    expect(await turnsDuring(countEach)).toBeGreaterThan(5);
    const counted = await count([whole]);
    expect(Math.abs(counted - countTokens(whole))).toBeLessThan(20);
  });

  it('are counted as far as they may be long, and no further', async () => {
    let counted = 0;
    const quarter = (text: string): number => {
      counted += text.length;
      return text.length / 4;
    };
    expect(await countingInPieces(quarter)(['a'.repeat(1_000_000)], 10_000)).toBeGreaterThan(10_000);
    expect(counted).toBeLessThan(60_000);
    expect(await countingInPieces(quarter)(['abcd', 'abcd', ''])).toBe(2);
  });
});
