import { describe, expect, it } from '@jest/globals';
import { cyclesAmong } from './cycles.ts';
import { parseSourceFile } from './source-file.ts';

const cyclesOf = (files: Readonly<Record<string, string>>) =>
  cyclesAmong(Object.entries(files).map(([path, text]) => parseSourceFile(path, text)));

describe('files that need each other', () => {
  it('are found over any number of steps, for their types alone too', () => {
    const cycles = cyclesOf({
      'src/a.ts': `import { b } from './b/b.ts';`,
      'src/b/b.ts': `export type { C } from '../c.ts';`,
      'src/c.ts': `import './a.ts';`,
    });
    expect(cycles).toEqual([['src/a.ts', 'src/b/b.ts', 'src/c.ts']]);
  });

  it('are not those that merely share what they need', () => {
    const shared = `import './shared.ts';`;
    expect(cyclesOf({ 'a.ts': `${shared} import './b.ts';`, 'b.ts': shared, 'shared.ts': `import 'a';` })).toEqual([]);
  });
});
