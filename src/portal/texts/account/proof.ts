import { table } from '../language/table.ts'

export const proofTexts = table(
  {
    title: 'Confirm your identity',
    lead: 'Changing members, keys, endpoints or secrets requires your password, unless you signed in within the last 15 minutes.',
    leadTwoStep:
      'Changing members, keys, endpoints or secrets requires your password and second step, unless you signed in within the last 15 minutes.',
    leadOperator:
      'Changing operators or second steps requires your password and second step, unless you signed in within the last 15 minutes.',
    password: 'Your password',
    code: 'Code from the app or a recovery code',
    confirm: 'Confirm',
    provider:
      'Your account is managed by your company’s identity provider. Sign in there again; you will return to this page and can repeat the change.',
    again: 'Sign in again',
  },
  {
    title: 'Confirmez votre identité',
    lead: 'Modifier des membres, des clés, des points de réception ou des secrets exige votre mot de passe, sauf si vous avez ouvert votre session il y a moins de 15 minutes.',
    leadTwoStep:
      'Modifier des membres, des clés, des points de réception ou des secrets exige votre mot de passe et la deuxième étape, sauf si vous avez ouvert votre session il y a moins de 15 minutes.',
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
