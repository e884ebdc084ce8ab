/** A value of each class in a sentence in which it is found for certain. */
export const VALUES: Readonly<
  Record<string, readonly [before: string, value: string, after: string]>
> = {
  passport: ['Мой паспорт ', '4508 123456', ', спасибо'],
  foreign_passport: ['Загранпаспорт ', '71 1234567', ' действует'],
  driving_licence: ['Водительское удостоверение ', '77 16 123456', ' есть'],
  snils: ['СНИЛС ', '112-233-445 95', ' есть'],
  phone: ['Звоните ', '+7 916 123-45-67', ' днём'],
  email: ['почта ', 'leak77@firma.ru', ' вот'],
  card: ['Карта ', '4111 1111 1111 1111', ' моя'],
  inn: ['ИНН ', '7707083893', ' организации'],
  kpp: ['КПП ', '773601001', ' её'],
  ogrn: ['ОГРН ', '1027700132195', ' вот'],
  bank_account: ['БИК 044525225, счёт ', '40702810838000000017', ' тут'],
  secret: ['ключ ', 'sk-proj-abcdEFGH1234567890abcdEFGH1234567890abcdEFGH12', ' его'],
  person_name: ['Клиент ', 'Иванов Пётр Сергеевич', ' пришёл'],
  birth_date: ['дата рождения ', '12.05.1985', ' года'],
  vehicle_plate: ['номер машины ', 'А123ВС777', ' запишите'],
};

/** The texts as the pieces of a request, by where a model reads them one behind the other. */
export const JOINTS: Readonly<Record<string, (...texts: readonly string[]) => object>> = {
  'parts of a message': (...texts) => ({
    messages: [{ role: 'user', content: texts.map((text) => ({ type: 'text', text })) }],
  }),
  'messages of two roles': (...texts) => ({
    messages: texts.map((content, index) => ({ role: index % 2 ? 'assistant' : 'user', content })),
  }),
  'messages of one role': (...texts) => ({
    messages: texts.map((content) => ({ role: 'user', content })),
  }),
  'parts of the result of a tool': (...texts) => ({
    messages: [
      {
        role: 'user',
        content: [{ type: 'tool_result', content: texts.map((text) => ({ type: 'text', text })) }],
      },
    ],
  }),
  'a message and the result of a tool': (first = '', ...texts) => ({
    messages: [
      {
        role: 'assistant',
        content: first,
        tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      ...texts.map((content) => ({ role: 'tool', tool_call_id: '1', content })),
    ],
  }),
};

/** Texts that are embedded, one behind the other. */
export const EMBEDDED = (...texts: readonly string[]) => ({ input: texts });
