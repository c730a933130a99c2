import { createBankWindow } from '../../kit/pages/bank-window.ts'
import { escapeXml } from '../../kit/pages/escape-xml.ts'
import type { Institution } from '../data/institutions.ts'
import type { Link } from '../state.ts'

const { speaker, exitForm, alert, page, ...forms } = createBankWindow(
  { name: 'Data Connect', background: '#f6f3f0', accent: '#8a3a0a', focus: '#1d4f91' },
  {
    sandbox: { en: 'Simulated Mastercard Data Connect, made-up banks', fr: 'Mastercard Data Connect simulé, banques fictives' },
    choose: { en: 'Find your bank', fr: 'Trouvez votre institution financière' },
    fix: { en: 'Your bank asks you to sign in again.', fr: 'Votre institution vous demande d’ouvrir une nouvelle session.' },
    hint: {
      en: 'In this sandbox: any username with the password finbank; with finbank-code a code is asked for.',
      fr: 'Dans ce bac à sable : n’importe quel nom avec le mot de passe finbank ; avec finbank-code, un code est demandé.',
    },
    code: { en: 'Enter the code', fr: 'Entrez le code' },
    codeLabel: { en: 'Code from your bank', fr: 'Code reçu de votre institution' },
    codeHint: { en: 'In this sandbox: 1234.', fr: 'Dans ce bac à sable : 1234.' },
    accounts: { en: 'Share accounts of {bank}', fr: 'Partagez des comptes de {bank}' },
    codeProblem: { en: 'That code is not right.', fr: 'Ce code n’est pas le bon.' },
    accountsProblem: { en: 'Choose at least one account.', fr: 'Choisissez au moins un compte.' },
    expired: { en: 'This link has expired', fr: 'Ce lien est expiré' },
  },
)

export function institutionPage({ language }: Link, action: string, wanted: string, found: readonly Institution[]): string {
  return forms.institutionPage(language, action, wanted, found)
}

export function loginPage({ language, fixLoginId, problem }: Link, action: string, bank: string): string {
  const intro = fixLoginId === null ? '' : `<p>${speaker(language)('fix')}</p>`
  const isWrong = problem === 'credentials'
  return forms.loginPage(language, action, { bank, intro, isWrong, username: 'owner', password: 'finbank' })
}

export function codePage({ language, problem }: Link, action: string): string {
  const say = speaker(language)
  return page(language, say('code'), [
    alert(language, problem === 'code' ? 'codeProblem' : null),
    `<form method="post" action="${action}/code"><p id="hint">${say('codeHint')}</p><label for="code">${say('codeLabel')}</label>`,
    '<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" required aria-describedby="hint">',
    `<button>${say('continue')}</button></form>`,
    exitForm(language, action),
  ])
}

export function accountsPage(
  { language, problem }: Link,
  action: string,
  bank: string,
  accounts: readonly { role: string; name: string }[],
): string {
  const say = speaker(language)
  const boxes = accounts.map(
    ({ role, name }) =>
      `<div><input type="checkbox" id="${role}" name="account" value="${role}" checked><label for="${role}">${escapeXml(name)}</label></div>`,
  )
  return page(language, say('accounts', bank), [
    alert(language, problem === 'accounts' ? 'accountsProblem' : null),
    `<form method="post" action="${action}/accounts"><fieldset><legend>${say('accounts', bank)}</legend>${boxes.join('')}</fieldset>`,
    `<button>${say('continue')}</button></form>`,
    exitForm(language, action),
  ])
}

export function messagePage(language: Link['language'], key: 'closed' | 'expired' | 'unknown'): string {
  return page(language, speaker(language)(key), [])
}
