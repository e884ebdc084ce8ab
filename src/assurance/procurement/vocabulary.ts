import type { Lifecycle } from '../../kernel/lifecycle.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** What a pack is assembled for. */
export const PACK_TYPES = vocabulary('ProcurementPackType', 'What a pack is assembled for.', [
  { code: 'pilot', description: 'A paid trial: the documents that a trial cannot begin without.' },
  { code: 'enterprise', description: 'A purchase: everything that lawyers and security ask for.' },
]);

/** What a pack is assembled for. */
export type PackType = CodeOf<typeof PACK_TYPES>;

/** Where the text of a document comes from. */
export const DOCUMENT_SOURCES = vocabulary(
  'ProcurementDocumentSource',
  'Where the text of a document comes from.',
  [
    { code: 'generated', description: 'Made when it is read, from what holds and was observed.' },
    {
      code: 'template_ref',
      description: 'A template of the operator that lawyers fill in; there is no law text here.',
    },
    { code: 'roadmap', description: 'Not built: asking for it is refused with 501.' },
  ],
);

const BOTH: readonly PackType[] = ['pilot', 'enterprise'];
const ENTERPRISE: readonly PackType[] = ['enterprise'];

/**
 * The documents of packs. `daysSaved` are the working days that a customer declares to need for
 * such a document by letters; only what the gateway makes itself saves any.
 */
export const DOCUMENT_TYPES = vocabulary('ProcurementDocumentType', 'A document of a pack.', [
  {
    code: 'contract',
    description: 'The contract of the operator.',
    title: 'Договор',
    source: 'template_ref',
    packs: BOTH,
    daysSaved: 0,
  },
  {
    code: 'invoice',
    description: 'The invoice for the first payment.',
    title: 'Счёт',
    source: 'template_ref',
    packs: BOTH,
    daysSaved: 0,
  },
  {
    code: 'sla',
    description: 'The service level agreement, with the targets that answers are held to.',
    title: 'Соглашение об уровне услуги',
    source: 'template_ref',
    packs: BOTH,
    daysSaved: 0,
  },
  {
    code: 'data_processing_agreement',
    description: 'The order to process personal data.',
    title: 'Поручение обработки персональных данных',
    source: 'template_ref',
    packs: ENTERPRISE,
    daysSaved: 0,
  },
  {
    code: 'security',
    description: 'The measures of protection with where each is held, as they hold now.',
    title: 'Меры защиты',
    source: 'generated',
    packs: BOTH,
    daysSaved: 5,
  },
  {
    code: 'rf_only',
    description: 'Whether requests of the organization can leave Russia, and whether any did.',
    title: 'Обработка данных только в РФ',
    source: 'generated',
    packs: BOTH,
    daysSaved: 2,
  },
  {
    code: 'zero_log',
    description: 'What of the texts of the organization is kept, and for how long.',
    title: 'Хранение текстов запросов',
    source: 'generated',
    packs: BOTH,
    daysSaved: 2,
  },
  {
    code: 'data_routing',
    description: 'The routes that policies open, and those that requests really took.',
    title: 'Маршруты данных',
    source: 'generated',
    packs: ENTERPRISE,
    daysSaved: 3,
  },
  {
    code: 'upd_export',
    description: 'The universal transfer document as a file of the tax service.',
    title: 'УПД в формате ФНС',
    source: 'roadmap',
    packs: ENTERPRISE,
    daysSaved: 0,
  },
]);

/** A document of a pack. */
export type DocumentType = CodeOf<typeof DOCUMENT_TYPES>;

/** Whether a document of a pack can be used. */
export const DOCUMENT_STATUSES = vocabulary(
  'ProcurementDocumentStatus',
  'Whether a document of a pack can be used.',
  [
    { code: 'ready', description: 'Generated, and everything that it says is shown.' },
    { code: 'missing_evidence', description: 'Generated, and it names what cannot be shown.' },
    { code: 'template_ref', description: 'The operator hands out its template.' },
    { code: 'roadmap', description: 'Planned, and not built yet.' },
  ],
);

/** Where a pack stands. */
export const PACK_STATUSES = vocabulary('ProcurementPackStatus', 'Where a pack stands.', [
  { code: 'ready', description: 'Assembled; a new pack is this.' },
  { code: 'legal_review', description: 'With the lawyers of the customer.' },
  { code: 'security_review', description: 'With the security of the customer.' },
  { code: 'invoice_sent', description: 'The invoice is on its way.' },
  { code: 'edo_sent', description: 'The documents are in electronic exchange.' },
  { code: 'signed', description: 'Both sides have signed.' },
  { code: 'paid', description: 'Paid: the procurement is over.' },
  { code: 'blocked', description: 'Something stands against it; the note says what.' },
]);

/** Where a pack stands. */
export type PackStatus = CodeOf<typeof PACK_STATUSES>;

const step = <const S extends PackStatus>(...to: readonly S[]) =>
  Object.fromEntries(to.map((each) => [each, each])) as { readonly [name in S]: name };

/** Status → the statuses that may follow. Whoever is asked again for the same changes nothing. */
export const PACK_LIFECYCLE: Lifecycle<PackStatus, PackStatus> = {
  ready: step('legal_review', 'security_review', 'invoice_sent', 'edo_sent', 'blocked'),
  legal_review: step('ready', 'security_review', 'invoice_sent', 'edo_sent', 'blocked'),
  security_review: step('ready', 'legal_review', 'invoice_sent', 'edo_sent', 'blocked'),
  invoice_sent: step('edo_sent', 'signed', 'paid', 'blocked'),
  edo_sent: step('invoice_sent', 'signed', 'blocked'),
  signed: step('invoice_sent', 'paid', 'blocked'),
  paid: {},
  blocked: step('ready', 'legal_review', 'security_review', 'invoice_sent', 'edo_sent'),
};

/** Ways in which documents are exchanged. */
export const EDO_PROVIDERS = vocabulary(
  'ProcurementEdoProvider',
  'A way in which documents are exchanged; people send them, and the gateway keeps track.',
  [
    { code: 'diadoc', description: 'The operator Diadoc.' },
    { code: 'sbis', description: 'The operator SBIS.' },
    { code: 'pdf_email', description: 'PDF by e-mail, signed on paper.' },
  ],
);

/** The documents that are exchanged. */
export const EDO_DOCUMENTS = ['contract', 'invoice', 'act', 'upd'] as const;

/** Where a document stands in the exchange. */
export const EDO_STATUSES = vocabulary(
  'ProcurementEdoStatus',
  'Where a document stands in the exchange.',
  [
    { code: 'not_sent', description: 'Nobody has sent it.' },
    { code: 'sent', description: 'On its way to the other side.' },
    { code: 'delivered', description: 'The other side has it.' },
    { code: 'signed', description: 'Signed by both sides.' },
    { code: 'rejected', description: 'The other side has refused it; it can be sent again.' },
  ],
);

/** Where a document stands in the exchange. */
export type EdoStatus = CodeOf<typeof EDO_STATUSES>;

/** Status → the statuses that may follow, of a document in the exchange. */
export const EDO_LIFECYCLE: Lifecycle<EdoStatus, EdoStatus> = {
  not_sent: { sent: 'sent' },
  sent: { delivered: 'delivered', signed: 'signed', rejected: 'rejected' },
  delivered: { signed: 'signed', rejected: 'rejected' },
  signed: {},
  rejected: { sent: 'sent' },
};

/** What stands against a pack. */
export const BLOCKING_ITEMS = vocabulary(
  'ProcurementBlockingItem',
  'What stands between a pack and its signature.',
  [
    {
      code: 'counterparty_unknown',
      description: 'The customer is not named with its legal name and INN.',
      fix: 'Assemble a pack with `legal_name` and `inn`.',
    },
    {
      code: 'questionnaire_incomplete',
      description: 'Questions of the questionnaire are open.',
      fix: 'POST /v1/gw/procurement/packs/{id}/security-questionnaire with the open answers.',
    },
    {
      code: 'document_missing_evidence',
      description: 'A generated document names what cannot be shown.',
      fix: 'GET /v1/gw/procurement/packs/{id}/documents/{docType} says what would show it.',
    },
    {
      code: 'edo_not_chosen',
      description: 'Nobody has said how documents are exchanged.',
      fix: 'POST /v1/gw/procurement/packs/{id}/edo with a `provider`.',
    },
    {
      code: 'contract_not_signed',
      description: 'The contract is not signed.',
      fix: 'POST /v1/gw/procurement/packs/{id}/edo with `contract: "signed"` when it is.',
    },
    {
      code: 'invoice_not_sent',
      description: 'The invoice is not on its way.',
      fix: 'POST /v1/gw/procurement/packs/{id}/edo with `invoice: "sent"` when it is.',
    },
    {
      code: 'pack_blocked',
      description: 'The pack is blocked by its status.',
      fix: 'POST /v1/gw/procurement/packs/{id}/status when the reason is gone.',
    },
  ],
);

/** Who has given an answer of a questionnaire. */
export const ANSWER_SOURCES = vocabulary(
  'ProcurementAnswerSource',
  'Who has given an answer of a questionnaire.',
  [
    { code: 'gateway', description: 'The running gateway, from the controls that hold.' },
    { code: 'declared', description: 'A person of the organization, who vouches for it.' },
    { code: 'nobody', description: 'The question is open.' },
  ],
);

/** Answers that people may give. */
export const DECLARED_ANSWERS = vocabulary('ProcurementDeclaredAnswer', 'An answer of a person.', [
  { code: 'yes', description: 'What is asked for is so.' },
  { code: 'partly', description: 'It is so in part; the comment says in which.' },
  { code: 'no', description: 'What is asked for is not so.' },
  { code: 'not_applicable', description: 'The question does not concern this purchase.' },
]);

/** Usage of so many days is looked at for the routes that were really taken. */
export const OBSERVED_DAYS = 30;

/** How the saved days are counted. */
export const DAYS_SAVED_FORMULA =
  'sum of days_saved of the generated documents of the pack without missing evidence, plus ' +
  'questionnaire_days × completion_score / 100, rounded down to whole days';

/** The working days that a whole questionnaire is declared to take. */
export const QUESTIONNAIRE_DAYS = 5;

/** The most answers that are filled in at once. */
export const ANSWERS_MAX = 200;
