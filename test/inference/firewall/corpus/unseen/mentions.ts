import type { Dice } from '../values.js';
import {
  abroadForm,
  accountForm,
  birthForm,
  cardForm,
  ibanForm,
  innForm,
  kppForm,
  licenceForm,
  ogrnForm,
  passportForm,
  phoneForm,
  plateForm,
  policyForm,
  snilsForm,
} from './forms.js';
import { addressForm, emailForm, handleForm, nameForm, secretForm } from './words.js';

/** A value with the words before and behind it. */
export interface Mention {
  readonly label: string;
  readonly value: string;
  readonly behind?: string;
}

const list = (words: string) => words.split('|');

/** Labels before a value. A `~` begins the words behind it: `~года рождения`. */
function labelled(words: string, form: (dice: Dice) => string) {
  const labels = list(words);
  return (dice: Dice): Mention => {
    const label = dice.pick(labels);
    const value = form(dice);
    return label.startsWith('~') ? { label: '', value, behind: label.slice(1) } : { label, value };
  };
}

type Mentions = Readonly<Record<string, (dice: Dice) => Mention>>;

const PAPERS: Mentions = {
  passport: labelled(
    'паспорт|Паспорт РФ|предъявлен паспорт|паспорт гражданина|паспортные данные|по паспорту|' +
      'копия паспорта|с паспортом|паспорт серия|серия и номер паспорта|мой паспорт|passport|' +
      'Russian passport|паспорт: серия|~это мой паспорт|~(паспорт)',
    passportForm,
  ),
  foreign_passport: labelled(
    'загранпаспорт|заграничный паспорт|загран|номер загранпаспорта|по загранпаспорту|' +
      'загранник|international passport|данные загранпаспорта|~мой загранпаспорт',
    abroadForm,
  ),
  driving_licence: labelled(
    'водительское удостоверение|ВУ|вод. удостоверение|права|водительские права|серия и номер ВУ|' +
      "по водительскому удостоверению|в/у|driver's license|driving licence|удостоверение водителя",
    licenceForm,
  ),
  oms_policy: labelled(
    'полис ОМС|полис|ОМС|номер полиса|медполис|ЕНП|по полису|полис медстрахования|' +
      'медицинский полис',
    policyForm,
  ),
  snils: labelled(
    'СНИЛС|снилс|номер СНИЛС|страховой номер|мой снилс|СНИЛС сотрудника|SNILS|по СНИЛСу|' +
      'пенсионное|~это снилс|страховое свидетельство',
    snilsForm,
  ),
  inn: labelled(
    'ИНН|инн|ИНН организации|мой инн|ИНН/КПП|по ИНН|с ИНН|номер налогоплательщика|INN|' +
      'идентификационный номер|~(ИНН)|инн физлица',
    innForm,
  ),
  ogrn: labelled(
    'ОГРН|огрн|ОГРНИП|ОГРН компании|по ОГРН|регистрационный номер|OGRN|с ОГРН|~(ОГРН)',
    ogrnForm,
  ),
  kpp: labelled(
    'КПП|кпп|КПП филиала|с КПП|код причины постановки|KPP|КПП организации|наш кпп',
    kppForm,
  ),
};

const BANK: Mentions = {
  card: labelled(
    'карта|номер карты|на карту|с карты|перевод на карту|моя карта|картой|card|card number|' +
      'карточка|Visa|МИР|скинь на карту|по карте|реквизиты карты|~это карта мужа',
    cardForm,
  ),
  bank_account: (dice) => {
    if (dice.roll(4) === 0) {
      return { label: dice.pick(['IBAN', 'счёт IBAN', 'iban получателя']), value: ibanForm(dice) };
    }
    const { value, bic } = accountForm(dice);
    const label = dice.pick([
      'р/с',
      'счёт',
      'расчётный счёт',
      'р/сч',
      'счёт получателя',
      'на счёт',
    ]);
    return dice.roll(3) === 0
      ? { label: `БИК ${bic}, ${label}`, value }
      : { label, value, behind: dice.pick([`БИК ${bic}`, `в банке с БИК ${bic}`]) };
  },
};

const PERSON: Mentions = {
  phone: labelled(
    'телефон|тел.|тел|мой номер|звоните|номер телефона|моб.|мобильный|сотовый|позвоните|phone|' +
      'WhatsApp|ватсап|контактный телефон|перезвоните на|mobile|номер для связи|viber|факс',
    phoneForm,
  ),
  email: labelled(
    'почта|e-mail|email|мыло|пишите на|имейл|мейл|адрес почты|электронная почта|мой ящик|' +
      'отправьте на|скиньте на|mail|эл. почта|почта для связи|контакты',
    emailForm,
  ),
  birth_date: labelled(
    'дата рождения|родился|родилась|д.р.|др|ДР|date of birth|DOB|born on|рожд.|день рождения|' +
      '~года рождения|~г.р.|~г. р.|дату рождения',
    birthForm,
  ),
  vehicle_plate: labelled(
    'госномер|машина|гос. номер|номер машины|автомобиль|а/м|авто|рег. знак|пропуск на|г/н|' +
      'номер авто|license plate|госзнак|Лада Веста|на машине',
    plateForm,
  ),
  person_name: labelled(
    'клиент|ФИО|договор с|заявитель|от имени|директор|получатель|меня зовут|имя|сотрудник|' +
      'записать|прошу принять|спросить|контактное лицо|подпись|пациент',
    nameForm,
  ),
  secret: secretForm,
  postal_address: labelled(
    'адрес|адрес доставки|проживает|прописан|зарегистрирован по адресу|живу|доставить на|' +
      'по адресу|адрес регистрации|мой адрес|место жительства|привезите|прописка|address',
    addressForm,
  ),
  messenger_handle: handleForm,
};

/** How each class is mentioned; markers of injection are wordings and have other tests. */
export const MENTIONS: Mentions = { ...PAPERS, ...BANK, ...PERSON };
