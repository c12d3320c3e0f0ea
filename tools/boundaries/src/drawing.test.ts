import { describe, expect, it } from '@jest/globals';
import { areaGraphs, drawnPage, mermaid } from './drawing.ts';
import { parseSourceFile } from './source-file.ts';

const workspace = {
  projects: [
    {
      name: '@platform-backend/bank',
      directory: 'apps/bank',
      kind: 'app' as const,
      areas: ['prices', 'loans', 'closure'],
      dependencies: new Set<string>(),
      devDependencies: new Set<string>(),
    },
  ],
  sharedDevDependencies: new Set<string>(),
};

const files = [
  parseSourceFile('apps/bank/src/loans/domain/loan.ts', `import type { Price } from '../../prices/domain/price.ts';`),
  parseSourceFile('apps/bank/src/loans/test/loan.test.ts', `import '../../closure/domain/closure.ts';`),
  parseSourceFile('apps/bank/src/closure/area.ts', `import '../loans/area.ts'; import '../prices/domain/price.ts';`),
  parseSourceFile('apps/bank/src/areas.ts', `import './loans/area.ts';`),
];

describe('the drawing of the areas of a service', () => {
  const graphs = areaGraphs(files, workspace);

  it('has an arrow for what an area imports of another, tests apart', () => {
    const bank = new Map([...(graphs.get('bank') ?? [])].map(([area, others]) => [area, [...others]]));
    expect([...bank]).toEqual([
      ['prices', []],
      ['loans', ['prices']],
      ['closure', ['loans', 'prices']],
    ]);
  });

  it('leaves out an arrow that a longer path implies', () => {
    const lines = mermaid(graphs.get('bank') ?? new Map()).split('\n');
    expect(lines).toContain('  closure --> loans');
    expect(lines).not.toContain('  closure --> prices');
  });

  it('replaces the last drawing, and leaves the rest of the page as it is', () => {
    const page = 'Before\n<!-- drawn by npm run boundaries -- --draw -->old<!-- the end of what is drawn -->\nAfter\n';
    const drawn = drawnPage(page, graphs);
    expect(drawn).toMatch(
      /^Before\n<!-- drawn[^]*### bank[^]*loans --> prices[^]*<!-- the end of what is drawn -->\nAfter\n$/,
    );
    expect(drawn).not.toContain('old');
    expect(drawnPage(drawn, graphs)).toBe(drawn);
  });
});
