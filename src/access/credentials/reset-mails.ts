import type { Logger } from 'pino';
import { sharedNowMs } from '../../kernel/clock.js';
import type { InLanguages, Language } from '../../kernel/language/languages.js';
import type { PrismaDatabase } from '../../platform/database/prisma.js';
import type { Mailer } from '../../platform/mail.js';
import { InFlightLimiter } from '../../records/in-flight-limiter.js';
import { transactAcrossTenants } from '../../records/scope.js';
import { lockMember } from '../auth/sessions.js';
import { openReset, resetLink } from './password-reset.js';

/** How long a link works that came by e-mail, in hours. */
const MAILED_HOURS = 1;
/** A member gets no second e-mail within these milliseconds, however often one is asked for. */
const APART_MS_MIN = 60_000;
/** So many wishes wait for the mail server; what comes beyond is left out and told in the log. */
const WAITING_MAX = 1_000;
const AT_ONCE_MAX = 2;

interface MailTexts {
  readonly subject: string;
  readonly text: (link: string) => string;
}

const TEXTS: InLanguages<MailTexts> = {
  en: {
    subject: 'A new password',
    text: (link) => `Somebody asked for a new password for your account. To set one, open this link
within an hour:

${link}

The link works once. All your sessions end when the password is set. If it was not you who
asked, do nothing: your password stays as it is.
`,
  },
  ru: {
    subject: 'Новый пароль',
    text: (link) => `Для вашей учётной записи запросили новый пароль. Чтобы задать его, откройте
эту ссылку в течение часа:

${link}

Ссылка действует один раз. Когда пароль будет задан, все ваши входы завершатся. Если запрос
сделали не вы, ничего не делайте: пароль останется прежним.
`,
  },
};

/** What the e-mails are made of. */
interface ResetMailOptions {
  readonly prisma: PrismaDatabase;
  readonly mailer: Mailer;
  readonly log: Logger;
  /** The address of the gateway as the operator states it, never as a request names it. */
  readonly publicUrl: string;
}

/**
 * Sends links for a new password, beside the requests that ask for them, so that an answer tells
 * nothing of what became of one. A node that dies forgets those that wait: members ask again.
 */
export class ResetMails {
  private readonly turns = new InFlightLimiter(AT_ONCE_MAX);
  private readonly waiting = new Set<Promise<void>>();

  constructor(private readonly options: ResetMailOptions) {}

  /** Looks for the member of an e-mail, and sends a link where there is one. Never throws. */
  request(email: string, language: Language): void {
    const { log } = this.options;
    if (this.waiting.size >= WAITING_MAX) {
      log.warn('too many links for a new password wait for the mail server: one is left out');
      return;
    }
    const sending = this.turns
      .take(() => this.send(email, language))
      .catch((err: unknown) => log.warn({ err }, 'a link for a new password could not be sent'))
      .finally(() => this.waiting.delete(sending));
    this.waiting.add(sending);
  }

  /** Resolves when nothing waits that was asked for so far. */
  async idle(): Promise<void> {
    await Promise.all(this.waiting);
  }

  /** Waits for what was asked for, and ends the connections to the mail server. */
  async stop(): Promise<void> {
    await this.idle();
    this.options.mailer.close();
  }

  private async send(email: string, language: Language): Promise<void> {
    const { mailer, prisma, publicUrl } = this.options;
    const token = await transactAcrossTenants({ prisma }, async (tx) => {
      const found = await tx.user.findFirst({ where: { email, status: 'active' } });
      if (!found) return undefined;
      await lockMember(tx, found);
      const member = await tx.user.findFirst({
        where: { id: found.id, status: 'active', tenant: { status: 'active' } },
      });
      const since = new Date(sharedNowMs() - APART_MS_MIN);
      const latest = await tx.passwordReset.findFirst({
        where: { userId: found.id, issuedBy: null, createdAt: { gt: since } },
      });
      if (!member || latest) return undefined;
      return (await openReset(tx, member, MAILED_HOURS, null)).token;
    });
    if (token === undefined) return;
    const { subject, text } = TEXTS[language];
    await mailer.send({ to: email, subject, text: text(resetLink(publicUrl, token)) });
  }
}
