import type { StatedError } from '../../kernel/errors/row.js';

/** Published logs and what witnesses submit. */
export const TRANSPARENCY_ERRORS = {
  log_published_already: {
    status: 409,
    type: 'conflict_error',
    message: 'The log is published already, as {origin}.',
    cause: 'An organization publishes its log at one address at a time; witnesses know it by that.',
    fix: ['Read the address and key with GET /v1/gw/transparency/publications.'],
    ru: {
      message: 'Журнал уже опубликован: {origin}.',
      cause:
        'Организация публикует журнал по одному адресу: по нему и по ключу его знают свидетели.',
      fix: ['Посмотрите адрес и ключ через GET /v1/gw/transparency/publications.'],
    },
  },
  log_checkpoint_unknown: {
    status: 409,
    type: 'conflict_error',
    message: 'The note is not a checkpoint of this log: {reason}.',
    cause: 'A cosignature is accepted only over a checkpoint that this log has signed.',
    fix: ['Cosign the checkpoint that GET /v1/gw/transparency/logs/{name}/checkpoint answers.'],
    ru: {
      message: 'Это не контрольная точка этого журнала: {reason}.',
      cause: 'Подпись свидетеля принимается только под контрольной точкой, подписанной журналом.',
      fix: ['Подпишите контрольную точку из GET /v1/gw/transparency/logs/{name}/checkpoint.'],
    },
  },
  log_witness_unknown: {
    status: 403,
    message: 'The note has no cosignature of a witness that the operator lists.',
    cause: 'Only keys of the setting GW_LOG_WITNESSES may cosign; name and key id must match.',
    fix: [
      'Read the accepted keys with GET /v1/gw/transparency/witnesses.',
      'Ask the operator to list your key.',
    ],
    ru: {
      message: 'В записке нет подписи свидетеля из списка оператора.',
      cause:
        'Подписывать могут только ключи из настройки GW_LOG_WITNESSES; имя и номер ключа должны ' +
        'совпадать.',
      fix: [
        'Посмотрите принимаемые ключи через GET /v1/gw/transparency/witnesses.',
        'Попросите оператора добавить ваш ключ.',
      ],
    },
  },
  log_cosignature_invalid: {
    status: 403,
    message: 'The cosignature of {witnesses} does not verify over this checkpoint.',
    cause: 'The key, the time or the text that was signed is another one.',
    fix: ['Sign "cosignature/v1", the time and the text of the note (c2sp.org/tlog-cosignature).'],
    ru: {
      message: 'Подпись {witnesses} не подходит к этой контрольной точке.',
      cause: 'Подписано другим ключом, с другим временем или под другим текстом.',
      fix: ['Подпишите «cosignature/v1», время и текст записки (c2sp.org/tlog-cosignature).'],
    },
  },
  log_cosignature_time: {
    status: 403,
    message: 'The cosignature of {witnesses} is from before the checkpoint or from the future.',
    cause: 'The time of a cosignature may differ by at most {seconds} s.',
    fix: ['Set the clock of the witness and cosign again.'],
    ru: {
      message: 'Время подписи {witnesses} раньше контрольной точки или в будущем.',
      cause: 'Время подписи может отклоняться не больше чем на {seconds} с.',
      fix: ['Настройте часы свидетеля и подпишите снова.'],
    },
  },
  log_readings_throttled: {
    status: 429,
    message: 'Published logs are read too often. Try again in {seconds} s.',
    cause: 'Readings are limited by address and by node, since anybody may ask without a key.',
    fix: ['Wait for the time in `retry-after`; keep the notes that you have read.'],
    ru: {
      message: 'Опубликованные журналы читают слишком часто. Попробуйте снова через {seconds} с.',
      cause: 'Чтение ограничено по адресу и по узлу, потому что ключ для него не нужен.',
      fix: ['Подождите время из `retry-after`; сохраняйте уже прочитанные записи.'],
    },
  },
  log_submissions_throttled: {
    status: 429,
    message: 'Too many submitted cosignatures. Try again in {seconds} s.',
    cause: 'Submissions are limited by address and by node, since anybody may send them.',
    fix: ['Wait for the time in `retry-after`, then try again.'],
    ru: {
      message: 'Слишком много присланных подписей. Попробуйте снова через {seconds} с.',
      cause: 'Приём подписей ограничен по адресу и по узлу, потому что прислать их может каждый.',
      fix: ['Подождите время из `retry-after`, затем попробуйте снова.'],
    },
  },
} as const satisfies Record<string, StatedError>;
