// Which published rules the schema keeps: those of graphql-eslint, all of them and those of Relay,
// except the ones below. Each exception says why.

/** Rules that ask for another style than the one chosen here. */
export const OFF = {
  alphabetize: 'The schema is printed in the order of the alphabet; the rule wants `id` first.',
  'no-root-type': 'It forbids mutations and subscriptions, for schemas that have none.',
  'require-nullable-result-in-root':
    'A failure is an error of its own field; what is answered is never half an answer.',
  'require-field-of-type-query-in-mutation-result':
    'Root fields of a document are cheap: a client asks a second field beside the mutation.',
  'input-name':
    'Ids stand beside the input, and a mutation of one or two plain arguments has no input object.',
  'strict-id-in-types': 'A part of a row, a page or an answer is a value and has no id.',
};

/** Rules that are kept in a form of their own. */
export const OPTIONS = {
  'require-description': [
    'error',
    {
      types: true,
      rootField: true,
      DirectiveDefinition: true,
      EnumValueDefinition: true,
      FieldDefinition: true,
      InputValueDefinition: true,
    },
  ],
  // Keyset lists are read forwards only; the pairs are held by a test.
  'relay-arguments': ['error', { includeBoth: false }],
  // Lists of values are no pages of things.
  'relay-edge-types': ['error', { listTypeCanWrapOnlyEdgeType: false }],
};

/** Enum values keep the spelling of the wire, so that REST and GraphQL say the same word. */
export const FREE_NAMES = ['EnumValueDefinition'];

/** Types, or fields of types, that break a kept rule, and why. A needless one is a fault. */
export const EXCEPTIONS = [
  {
    rule: 'relay-edge-types',
    place: 'AuthSessionEdge',
    why: 'A session is shown to its member alone; whom a Node is shown to follows from a right.',
  },
  {
    rule: 'naming-convention',
    place: 'PolicyFirewallInput',
    why: 'The fields are the classes of findings, in the spelling that findings have everywhere.',
  },
  {
    rule: 'no-typename-prefix',
    place: 'Prompt.promptKey',
    why: 'The key that customers choose has the same name in every type that mentions it.',
  },
  {
    rule: 'no-typename-prefix',
    place: 'Tool.toolKey',
    why: 'The key that customers choose has the same name in every type that mentions it.',
  },
  {
    rule: 'no-scalar-result-type-on-mutation',
    place: 'Mutation.chatCompletionCreate',
    why: 'The answer is the body of the wire, as the provider wrote it; chatComplete is its type.',
  },
  {
    rule: 'no-scalar-result-type-on-mutation',
    place: 'Mutation.embeddingsCreate',
    why: 'The answer is the body of the wire, as the provider wrote it.',
  },
  {
    rule: 'relay-edge-types',
    place: 'ApprovalFeedItemEdge',
    why: 'An event of a feed is read by its cursor, which holds its place and its id.',
  },
  {
    rule: 'relay-edge-types',
    place: 'FocusChargeEdge',
    why: 'A row of the export is a sum over requests, made anew by each export; it has no id.',
  },
  {
    rule: 'relay-edge-types',
    place: 'LedgerEntryEdge',
    why: 'An entry is known by its request and its kind; it is read by the filters of the ledger.',
  },
  {
    rule: 'relay-edge-types',
    place: 'MarketplaceEntryEdge',
    why: 'An entry is what everybody sees of a listing; its id is the node of that listing.',
  },
  {
    rule: 'relay-edge-types',
    place: 'MarketplaceListingCaseEdge',
    why: 'A case is what operators see of a listing; its id is the node of that listing.',
  },
  {
    rule: 'relay-edge-types',
    place: 'MarketplaceReportCaseEdge',
    why: 'A case is what operators see of a report; its id is the node of that report.',
  },
  {
    rule: 'relay-edge-types',
    place: 'PublisherIdentityClaimEdge',
    why: 'It is what operators see of a claim; its id is the node of that claim.',
  },
  {
    rule: 'relay-edge-types',
    place: 'ToolEdge',
    why: 'A tool is its newest contract version; it is read by its key.',
  },
  {
    rule: 'relay-edge-types',
    place: 'PromptReceiptEdge',
    why: 'An entry of a journal is part of its prompt and is read with it.',
  },
];
