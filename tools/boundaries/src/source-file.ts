import ts from 'typescript';

/** What the rules need to know of one source file. */
export interface SourceFile {
  /** Relative to the repository. */
  readonly path: string;
  readonly imports: readonly Import[];
  /** Identifiers and texts, without comments, each with its line. */
  readonly names: readonly { readonly text: string; readonly line: number }[];
}

export interface Import {
  readonly specifier: string;
  readonly line: number;
}

/**
 * Parses a file and collects what it imports in any form: import and export declarations, import types,
 * `import()`, `require()`, `jest.mock()` and its relatives, `import.meta.resolve()`. Specifiers that are
 * computed cannot be seen.
 */
export function parseSourceFile(path: string, text: string): SourceFile {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);
  const imports: Import[] = [];
  const names: { text: string; line: number }[] = [];
  const lineOf = (node: ts.Node): number => tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;

  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier && ts.isStringLiteralLike(specifier)) imports.push({ specifier: specifier.text, line: lineOf(node) });
    if (
      ts.isIdentifier(node) ||
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node)
    ) {
      names.push({ text: node.text, line: lineOf(node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return { path, imports, names };
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (ts.isCallExpression(node) && loadsModule(node.expression)) return node.arguments[0];
  return undefined;
}

const loaders = new Set(['require', 'resolve']);
const jestLoaders = new Set(['mock', 'unstable_mockModule', 'doMock', 'requireActual', 'importActual', 'requireMock']);

function loadsModule(callee: ts.Expression): boolean {
  if (callee.kind === ts.SyntaxKind.ImportKeyword) return true;
  if (ts.isIdentifier(callee)) return callee.text === 'require';
  if (!ts.isPropertyAccessExpression(callee)) return false;
  const { expression: object, name } = callee;
  if (ts.isIdentifier(object) && object.text === 'jest') return jestLoaders.has(name.text);
  return (
    (ts.isMetaProperty(object) || (ts.isIdentifier(object) && object.text === 'require')) && loaders.has(name.text)
  );
}
