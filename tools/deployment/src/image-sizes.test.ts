import { describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './compose-project.ts';
import { tooLarge } from './image-sizes.ts';

const apps = readdirSync(join(ROOT, 'apps'));

describe('the size of images', () => {
  it('has a limit for every app, and identity has 25 MB, none more than 130', () => {
    const exceeding = (megabytes: number) =>
      tooLarge(Object.fromEntries(apps.map((app) => [app, megabytes]))).map((sentence) => sentence.split(' ')[3]);
    expect(tooLarge({ identity: 25 })).toEqual([]);
    expect(tooLarge({ identity: 26 })).toEqual(['The image of identity has 26 MB where 25 are enough.']);
    expect(exceeding(131).toSorted()).toEqual(apps.toSorted());
    expect(tooLarge({ another: 1 })).toHaveLength(1);
  });
});
