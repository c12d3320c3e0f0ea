/** The rules of our own, loaded by `.oxlintrc.json`. */

const conflictWithColumns =
  "CallExpression[callee.property.name='ignore'][callee.object.callee.property.name='onConflict'][callee.object.arguments.length>0]";

export default {
  meta: { name: 'platform' },
  rules: {
    /** Two writers of the same row may meet at another unique index before they meet at the named one. */
    'no-columns-of-ignored-conflicts': {
      create: (context) => ({
        [conflictWithColumns]: (node) => {
          context.report({
            node,
            message: 'Name no columns: with them a conflict at another unique index is an error.',
          });
        },
      }),
    },
  },
};
