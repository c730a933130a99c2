import { table } from '../language/table.ts'

export const proofTexts = table(
  {
    title: 'Confirm that it is you',
    lead: 'Changes of members, keys, endpoints and secrets ask for your password, unless you signed in within the last 15 minutes.',
    leadTwoStep:
      'Changes of members, keys, endpoints and secrets ask for your password and second step, unless you signed in within the last 15 minutes.',
    leadOperator:
      'Changes of operators and of second steps ask for your password and second step, unless you signed in within the last 15 minutes.',
    password: 'Your password',
    code: 'Code of the app or a recovery code',
    confirm: 'Confirm',
    provider:
      'Your account belongs to your company’s identity provider. Sign in there once more; you come back to this page, and can then repeat the change.',
    again: 'Sign in again',
  },
  {
    title: 'Confirmez votre identité',
    lead: 'Modifier des membres, des clés, des points de terminaison ou des secrets exige votre mot de passe, sauf si vous avez ouvert votre session il y a moins de 15 minutes.',
    leadTwoStep:
      'Modifier des membres, des clés, des points de terminaison ou des secrets exige votre mot de passe et la deuxième étape, sauf si vous avez ouvert votre session il y a moins de 15 minutes.',
    leadOperator:
      'Modifier des exploitants ou des deuxièmes étapes exige votre mot de passe et la deuxième étape, sauf si vous avez ouvert votre session il y a moins de 15 minutes.',
    password: 'Votre mot de passe',
    code: 'Code de l’application ou code de récupération',
    confirm: 'Confirmer',
    provider:
      'Votre compte relève du fournisseur d’identité de votre entreprise. Ouvrez-y de nouveau une session; vous reviendrez à cette page et pourrez refaire la modification.',
    again: 'Ouvrir de nouveau une session',
  },
)
