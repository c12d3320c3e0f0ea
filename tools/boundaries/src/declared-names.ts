import ts from 'typescript';

/**
 * Every name that a file gives to something: variables, functions, types, members, keys of objects, parameters, what it takes
 * out of objects, and other names for what it imports. A name that it merely uses has been given elsewhere.
 */
export function declaredNames(path: string, text: string): string[] {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    const name = givesName(node) ? (node as ts.NamedDeclaration).name : undefined;
    if (name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name))) names.push(name.text.replace('#', ''));
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return names;
}

/** All nodes with a `name` do, but for those that only use it. */
const givesName = (node: ts.Node): boolean =>
  'name' in node &&
  !ts.isPropertyAccessExpression(node) &&
  !ts.isMetaProperty(node) &&
  !((ts.isImportSpecifier(node) || ts.isExportSpecifier(node)) && node.propertyName === undefined);
