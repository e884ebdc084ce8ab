/**
 * What the firewall can find and what may be done about it. The rules, the GraphQL enums and the
 * published reference read these same lists.
 */

/** Sensitivity of data, lowest first; the position in this list is the order. */
export const DATA_CLASSES = [
  { code: 'C0', description: 'Public data, or nothing sensitive was found.' },
  { code: 'C1', description: 'Internal data, and identifiers that stand in public registers.' },
  { code: 'C2', description: 'Confidential data, and numbers that may be personal identifiers.' },
  { code: 'C3', description: 'Personal data: may use only routes inside Russia.' },
  {
    code: 'C4',
    description: 'Financial identifiers and secrets: may use only routes inside Russia.',
  },
] as const;

export type DataClass = (typeof DATA_CLASSES)[number]['code'];

/** How sure a detector is. */
export const CONFIDENCES = [
  {
    code: 'confirmed',
    description: 'A checksum, an unmistakable shape or a context word proves the class.',
  },
  {
    code: 'suspected',
    description: 'The shape fits, but nothing near it says that this is such an identifier.',
  },
] as const;

export type Confidence = (typeof CONFIDENCES)[number]['code'];

/** What is done about a class, mildest first; the position in this list is the strictness. */
export const FIREWALL_MODES = [
  { code: 'off', description: 'Not looked for: neither counted nor part of the data class.' },
  { code: 'detect', description: 'Counted in the receipt; the text is sent unchanged.' },
  {
    code: 'mask',
    description:
      'Confirmed and suspected values are replaced by placeholders before the text leaves, and ' +
      'put back in the answer.',
  },
  {
    code: 'block',
    description:
      'A confirmed value refuses the request; a suspected one is masked, since a guess should ' +
      'not refuse work. In an answer, which cannot be refused any more, the value is masked.',
  },
] as const;

export type FirewallMode = (typeof FIREWALL_MODES)[number]['code'];

/**
 * The classes of finding, the most specific first: where two findings of equal confidence overlap,
 * the earlier class in this list wins. `dataClass` is implied by a confirmed finding,
 * `dataClassSuspected` by a suspected one.
 */
export const FINDING_CLASSES = [
  {
    code: 'secret',
    description: 'API key, access token, password or private key.',
    dataClass: 'C4',
    dataClassSuspected: 'C4',
  },
  {
    code: 'bank_account',
    description: 'Russian account of 20 digits, checked against a BIC in the text, or an IBAN.',
    dataClass: 'C4',
    dataClassSuspected: 'C4',
  },
  {
    code: 'oms_policy',
    description:
      'Russian health insurance policy: 16 digits with their checksum and a word for it.',
    dataClass: 'C3',
    dataClassSuspected: 'C3',
  },
  {
    code: 'card',
    description: 'Payment card number of 13 to 19 digits with a valid Luhn checksum.',
    dataClass: 'C4',
    dataClassSuspected: 'C2',
  },
  {
    code: 'snils',
    description: 'Russian personal insurance account number (SNILS) with a valid checksum.',
    dataClass: 'C3',
    dataClassSuspected: 'C2',
  },
  {
    code: 'ogrn',
    description: 'Russian registration number of a company or entrepreneur (OGRN, OGRNIP).',
    dataClass: 'C1',
    dataClassSuspected: 'C1',
  },
  {
    code: 'inn',
    description: 'Russian taxpayer number (INN) of 10 or 12 digits with a valid checksum.',
    dataClass: 'C3',
    dataClassSuspected: 'C2',
  },
  {
    code: 'kpp',
    description: 'Russian tax registration code of a company (KPP) beside a word that says so.',
    dataClass: 'C1',
    dataClassSuspected: 'C1',
  },
  {
    code: 'phone',
    description: 'Telephone number, Russian or international.',
    dataClass: 'C3',
    dataClassSuspected: 'C3',
  },
  {
    code: 'email',
    description:
      'E-mail address, also one that is spelled out: `name (at) host dot ru`, «имя собака хост ' +
      'точка ру».',
    dataClass: 'C3',
    dataClassSuspected: 'C3',
  },
  {
    code: 'messenger_handle',
    description:
      'Name or page in a messenger or social network, such as Telegram, VK or Skype; confirmed ' +
      'beside a word for the service, suspected for an address that may be that of a company.',
    dataClass: 'C3',
    dataClassSuspected: 'C2',
  },
  {
    code: 'driving_licence',
    description: 'Series and number of a Russian driving licence beside a word that says so.',
    dataClass: 'C3',
    dataClassSuspected: 'C3',
  },
  {
    code: 'foreign_passport',
    description: 'Russian passport for travel abroad: 9 digits beside a word that says so.',
    dataClass: 'C3',
    dataClassSuspected: 'C3',
  },
  {
    code: 'passport',
    description: 'Series and number of a Russian passport beside a word that says so.',
    dataClass: 'C3',
    dataClassSuspected: 'C3',
  },
  {
    code: 'birth_date',
    description: 'Date of birth: a date beside a word that says so.',
    dataClass: 'C3',
    dataClassSuspected: 'C3',
  },
  {
    code: 'vehicle_plate',
    description: 'Russian registration plate of a vehicle, in Cyrillic or look-alike letters.',
    dataClass: 'C3',
    dataClassSuspected: 'C2',
  },
  {
    code: 'postal_address',
    description:
      'Russian postal address with street and house; confirmed with a flat or beside a word for ' +
      'where a person lives, suspected where it may be that of a company.',
    dataClass: 'C3',
    dataClassSuspected: 'C2',
  },
  {
    code: 'person_name',
    description:
      'Name of a person with a patronymic; confirmed with the surname, suspected without it.',
    dataClass: 'C3',
    dataClassSuspected: 'C2',
  },
  {
    code: 'prompt_injection',
    description: 'Words or control tokens that try to replace the instructions of the model.',
    dataClass: 'C0',
    dataClassSuspected: 'C0',
  },
] as const satisfies readonly {
  code: string;
  description: string;
  dataClass: DataClass;
  dataClassSuspected: DataClass;
}[];

/** A class that every tenant has. */
export type BuiltInClass = (typeof FINDING_CLASSES)[number]['code'];

/** The name of a class that a policy defines; `ownClass` in own-classes.ts makes one. */
export type OwnClass = string & { readonly definedBy: 'policy' };

export type FindingClass = BuiltInClass | OwnClass;

/**
 * One mode per class of finding. Classes that policies define have a mode here too, and how they
 * are found travels with the modes (`ownRulesOf` in own-classes.ts).
 */
export type FirewallModes = Readonly<Record<BuiltInClass, FirewallMode>> & {
  readonly [name: OwnClass]: FirewallMode;
};

/**
 * The modes of a tenant without a policy. Everything is counted. Secrets are masked, because no
 * model needs the value of a key to do its work and a leaked key is misused within minutes; other
 * classes are left alone, because masking what the tenant did not ask to mask changes answers.
 */
export const DEFAULT_MODES: FirewallModes = {
  ...(Object.fromEntries(FINDING_CLASSES.map(({ code }) => [code, 'detect'])) as FirewallModes),
  secret: 'mask',
};
