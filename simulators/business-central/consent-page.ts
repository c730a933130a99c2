import { escapeXml } from '../kit/pages/escape-xml.ts'
import { loginLinks, pageFrame } from '../kit/pages/page-frame.ts'
import { type PageLanguage, pageLanguage } from '../kit/pages/page-language.ts'
import { ENVIRONMENTS, findCompany, LOGINS, type Login } from './companies.ts'

const TEXTS = {
  en: {
    title: 'Sign in to Business Central (simulated)',
    sandbox: 'Sandbox: this page stands in for Microsoft Entra. No real company is connected.',
    signedInAs: 'Signed in as',
    switchTo: 'Use another account:',
    heading: 'The app asks for permissions on your behalf',
    companies: 'Companies that this account opens:',
    none: 'This account opens no Business Central company.',
    scope: 'Access as the signed-in user to Dynamics 365 Business Central, and maintain access to data you have given it access to.',
    connect: 'Accept',
    cancel: 'Cancel',
    refused: 'Sorry, but we’re having trouble signing you in',
  },
  fr: {
    title: 'Connexion à Business Central (simulée)',
    sandbox: 'Bac à sable : cette page tient lieu de Microsoft Entra. Aucune vraie entreprise n’est connectée.',
    signedInAs: 'Session ouverte :',
    switchTo: 'Utiliser un autre compte :',
    heading: 'L’application demande des autorisations en votre nom',
    companies: 'Entreprises auxquelles ce compte donne accès :',
    none: 'Ce compte ne donne accès à aucune entreprise Business Central.',
    scope:
      'Accéder à Dynamics 365 Business Central en tant qu’utilisateur connecté et conserver l’accès aux données auxquelles vous avez donné accès.',
    connect: 'Accepter',
    cancel: 'Annuler',
    refused: 'Désolé, la connexion n’a pas réussi',
  },
} as const

const STYLE = `
body{margin:0;font:1rem/1.5 system-ui,sans-serif;color:#1b1b1b;background:#eef1f4}
main{max-width:34rem;margin:2rem auto;padding:1.5rem;background:#fff;border:1px solid #c4ccd4;border-radius:.25rem}
h1{font-size:1.4rem;line-height:1.25}
.sandbox{background:#fff4d6;border-left:.3rem solid #8a6100;padding:.5rem .75rem}
button{font:inherit;min-height:2.75rem;padding:.5rem 1.5rem;border:2px solid #0b5a9d;background:#fff;color:#08467a;cursor:pointer}
button.primary{background:#0b5a9d;color:#fff}
a{color:#08467a}
:focus-visible{outline:3px solid #b4531b;outline-offset:2px}
`

/** Sign-in and consent in one page, in the browser's language. The form is posted to the page's own address with `decision` (connect or cancel). */
export function consentPage(acceptLanguage: string | undefined, login: Login, query: URLSearchParams): string {
  const language = pageLanguage(acceptLanguage)
  const texts = TEXTS[language]
  const open = ENVIRONMENTS.filter(({ tenantId, name }) => tenantId === login.tenantId && !login.closed.includes(name))
  const companies = open.flatMap((environment) =>
    environment.companyIds.map((id) => `<li>${escapeXml(findCompany(id)?.name ?? id)} (${escapeXml(environment.name)})</li>`),
  )
  const others = loginLinks(
    LOGINS.filter(({ key }) => key !== login.key),
    query,
  )
  return page(
    language,
    `<p class="sandbox">${texts.sandbox}</p>
<h1>${texts.heading}</h1>
<p>${texts.signedInAs} <strong>${escapeXml(login.person)}</strong> (${escapeXml(login.email)})</p>
<p>${texts.scope}</p>
${companies.length > 0 ? `<p id="companies">${texts.companies}</p><ul aria-labelledby="companies">${companies.join('')}</ul>` : `<p>${texts.none}</p>`}
<form method="post">
<button class="primary" type="submit" name="decision" value="connect">${texts.connect}</button>
<button type="submit" name="decision" value="cancel">${texts.cancel}</button>
</form>
<p id="others">${texts.switchTo}</p><ul aria-labelledby="others">${others}</ul>`,
  )
}

/** What Entra shows instead when the app's request itself is wrong; the browser is sent nowhere. */
export function refusalPage(acceptLanguage: string | undefined, reason: string): string {
  const language = pageLanguage(acceptLanguage)
  return page(language, `<h1>${TEXTS[language].refused}</h1><p lang="en">${escapeXml(reason)}</p>`)
}

function page(language: PageLanguage, content: string): string {
  return pageFrame(language, TEXTS[language].title, STYLE, content)
}
