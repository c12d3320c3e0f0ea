/** The rules of our own, loaded by `.oxlintrc.json`. */

const conflictWithColumns =
  "CallExpression[callee.property.name='ignore'][callee.object.callee.property.name='onConflict'][callee.object.arguments.length>0]";

/** `logger.warn({ … }, '…')`: the levels that operators read. */
const warningOfALogger =
  "CallExpression[callee.object.name='logger'][callee.property.name=/^(warn|error|fatal)$/], CallExpression[callee.object.property.name='logger'][callee.property.name=/^(warn|error|fatal)$/]";

const namesEvent = (argument) =>
  argument?.type === 'ObjectExpression' &&
  argument.properties.some(({ key, value }) => key?.name === 'event' && /^[a-z_]+\.[a-z_]+$/.test(value?.value));

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
    /** What people are alerted by stays the same when the sentence gets better. */
    'event-of-log-line': {
      create: (context) => ({
        [warningOfALogger]: (node) => {
          if (/\.test\.ts$|\/test\//.test(context.filename) || namesEvent(node.arguments[0])) return;
          context.report({ node, message: "Name the event, such as { event: 'run.start_postponed' }." });
        },
      }),
    },
  },
};
