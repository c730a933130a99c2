import { escapeXml } from '../kit/pages/escape-xml.ts'
import { loginLinks, pageFrame } from '../kit/pages/page-frame.ts'
import { type PageLanguage, pageLanguage } from '../kit/pages/page-language.ts'
import { accountOfRole, findCompany, LOGINS, type Login, type Role } from './companies.ts'

const TEXTS = {
  en: {
    title: 'Connect to NetSuite (simulated)',
    sandbox: 'Sandbox: this page stands in for NetSuite. No real account is connected.',
    signedInAs: 'Signed in as',
    switchTo: 'Use another sign-in:',
    heading: 'The application asks for access to NetSuite',
    choose: 'Account and role',
    scope: 'It will use REST web services with the permissions of this role. You can end this under “OAuth 2.0 Authorized Applications”.',
    connect: 'Allow',
    cancel: 'Deny',
    refused: 'The authorization request cannot be answered',
  },
  fr: {
    title: 'Connexion à NetSuite (simulée)',
    sandbox: 'Bac à sable : cette page tient lieu de NetSuite. Aucun vrai compte n’est connecté.',
    signedInAs: 'Session ouverte :',
    switchTo: 'Ouvrir une autre session :',
    heading: 'L’application demande un accès à NetSuite',
    choose: 'Compte et rôle',
    scope:
      'L’application utilisera les services web REST avec les autorisations de ce rôle. Vous pouvez y mettre fin sous « Applications autorisées OAuth 2.0 ».',
    connect: 'Autoriser',
    cancel: 'Refuser',
    refused: 'La demande d’autorisation ne peut être traitée',
  },
} as const

const STYLE = `
body{margin:0;font:1rem/1.5 system-ui,sans-serif;color:#1f2a33;background:#eef2f3}
main{max-width:34rem;margin:2rem auto;padding:1.5rem;background:#fff;border:1px solid #c2cdd2;border-radius:.5rem}
h1{font-size:1.4rem;line-height:1.25}
.sandbox{background:#fff4d6;border-left:.3rem solid #8a6100;padding:.5rem .75rem}
fieldset{border:1px solid #87969d;border-radius:.5rem;margin:1rem 0;padding:.5rem 1rem}
label{display:flex;gap:.6rem;align-items:center;min-height:2.75rem}
input{width:1.25rem;height:1.25rem}
button{font:inherit;min-height:2.75rem;padding:.5rem 1.5rem;border-radius:.5rem;border:2px solid #36566b;background:#fff;color:#274254;cursor:pointer}
button.primary{background:#36566b;color:#fff}
a{color:#274254}
:focus-visible{outline:3px solid #b4531b;outline-offset:2px}
`

/**
 * Sign-in, role and consent in one page, in the browser's language. The form is posted to the page's own address with `role` and `decision`
 * (connect or cancel).
 */
export function consentPage(acceptLanguage: string | undefined, login: Login, query: URLSearchParams): string {
  const language = pageLanguage(acceptLanguage)
  const texts = TEXTS[language]
  const others = loginLinks(
    LOGINS.filter(({ key }) => key !== login.key),
    query,
  )
  return page(
    language,
    `<p class="sandbox">${texts.sandbox}</p>
<h1>${texts.heading}</h1>
<p>${texts.signedInAs} <strong>${escapeXml(login.person)}</strong> (${escapeXml(login.email)})</p>
<form method="post">
<fieldset><legend>${texts.choose}</legend>${login.roles.map(toChoice).join('')}</fieldset>
<p>${texts.scope}</p>
<button class="primary" type="submit" name="decision" value="connect">${texts.connect}</button>
<button type="submit" name="decision" value="cancel">${texts.cancel}</button>
</form>
<p id="others">${texts.switchTo}</p><ul aria-labelledby="others">${others}</ul>`,
  )
}

/** What NetSuite shows instead when the app is not known or its address is wrong; the browser is sent nowhere. */
export function refusalPage(acceptLanguage: string | undefined, reason: string): string {
  const language = pageLanguage(acceptLanguage)
  return page(language, `<h1>${TEXTS[language].refused}</h1><p lang="en">${escapeXml(reason)}</p>`)
}

function toChoice(role: Role, index: number): string {
  const accountId = accountOfRole(role.key)
  const company = findCompany(accountId)
  const text = `${company?.name ?? accountId} – ${role.name} (${accountId})`
  const checked = index === 0 ? ' checked' : ''
  return `<label><input type="radio" name="role" value="${escapeXml(role.key)}" required${checked}> <span>${escapeXml(text)}</span></label>`
}

function page(language: PageLanguage, content: string): string {
  return pageFrame(language, TEXTS[language].title, STYLE, content)
}
