import { BankWindow, type WindowForms } from '../../kit/pages/bank-window.ts'
import { escapeXml } from '../../kit/pages/escape-xml.ts'
import type { Provider } from '../data/institutions.ts'
import type { Session } from './session.ts'

const bankWindow = new BankWindow(
  { name: 'FastLink', background: '#fff', accent: '#5b2a86', focus: '#a8480f' },
  {
    sandbox: { en: 'Simulated FastLink, made-up banks', fr: 'FastLink simulé, institutions fictives' },
    choose: { en: 'Select your bank', fr: 'Sélectionnez votre institution financière' },
    hint: {
      en: 'In this sandbox anything opens; the password wrong is refused, with mfa a code is asked for.',
      fr: 'Dans ce bac à sable, tout ouvre une session; le mot de passe wrong est refusé, avec mfa un code est demandé.',
    },
    codeHint: { en: 'In this sandbox: 123456.', fr: 'Dans ce bac à sable : 123456.' },
    done: { en: '{bank} is linked', fr: '{bank} est connectée' },
    another: { en: 'Back to the list, to link another bank', fr: 'Retour à la liste, pour connecter une autre institution' },
    finish: { en: 'Save and finish', fr: 'Enregistrer et terminer' },
    exit: { en: 'Close without linking', fr: 'Fermer sans connecter' },
    expired: { en: 'This session has ended', fr: 'Cette session est terminée' },
  },
)

export function bankPage(session: Session, wanted: string, found: readonly Provider[]): string {
  return bankWindow.institutionPage(session.language, formsOf(session), { field: 'providerId', wanted, found })
}

export function loginPage(session: Session, bank: string): string {
  return bankWindow.loginPage(session.language, formsOf(session), { bank, isWrong: session.problem === 'credentials' })
}

export function codePage(session: Session): string {
  return bankWindow.codePage(session.language, formsOf(session), { isWrong: session.problem === 'code' })
}

/** Posts a message to the embedding page when a bank is linked, and when the owner closes. */
export function donePage(session: Session, { id, name }: Provider): string {
  const say = bankWindow.speaker(session.language)
  const data = {
    providerAccountId: session.providerAccountId,
    providerId: id,
    providerName: name,
    requestId: session.id,
    status: 'SUCCESS',
  }
  return bankWindow.page(session.language, say('done', name), [
    `<script>parent.postMessage(${JSON.stringify({ fnToCall: 'onSuccess', data })}, '*')</script>`,
    exitButton(session, 'finish'),
    `${formOf(session)}<button class="quiet" name="another" value="1">${say('another')}</button></form>`,
  ])
}

export function expiredPage(language: 'en' | 'fr'): string {
  return bankWindow.page(language, bankWindow.speaker(language)('expired'))
}

/** Every step, including the search, is posted to the session's only address. */
function formsOf(session: Session): WindowForms {
  return { open: () => formOf(session), search: formOf(session), exit: exitButton(session, 'exit') }
}

function formOf({ id }: Session): string {
  return `<form method="post" action="/fastlink/${id}">`
}

/** Closes FastLink: the embedding page receives what was linked. */
function exitButton({ linked, language }: Session, key: 'exit' | 'finish'): string {
  const sites = linked.map((providerAccountId) => ({ providerAccountId, status: 'SUCCESS' }))
  const message = escapeXml(JSON.stringify({ fnToCall: 'onExit', data: { action: 'exit', sites } }))
  return `<button id="exit" data-message="${message}" onclick="parent.postMessage(JSON.parse(this.dataset.message), '*')">${bankWindow.speaker(language)(key)}</button>`
}
