import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readSource } from '../src/check-workspace.ts';
import { areaGraphs, drawnPage } from '../src/drawing.ts';
import { readWorkspace } from '../src/workspace.ts';

const repository = resolve(import.meta.dirname, '../../..');

it('docs/architecture.md shows the areas as they are: npm run boundaries -- --draw', () => {
  const page = readFileSync(join(repository, 'docs/architecture.md'), 'utf8');
  const workspace = readWorkspace(repository);
  expect(page).toBe(drawnPage(page, areaGraphs(readSource(repository, workspace), workspace)));
});
