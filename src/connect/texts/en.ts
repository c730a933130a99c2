import { english } from '../../model/texts/plural.ts'
import { accessibilityEn } from './accessibility-en.ts'
import { banksEn } from './banks-en.ts'
import { consentEn } from './consent-en.ts'
import { frameEn } from './frame-en.ts'
import { handOffEn } from './hand-off-en.ts'
import { ownerEn } from './owner-en.ts'

const { count } = english

/** Texts of the owner's pages in English. Every other language must have this type. */
export const en = {
  layout: {
    zone: (name: string) => `Days and times on this page are in ${name}.`,
    otherLanguage: 'Français',
    steps: 'Steps',
    stepDone: 'done',
    stepNames: { consent: 'Permission', bank: 'Your bank', connect: 'Connection', done: 'Done' },
    sandbox: (service: string) => `Sandbox. ${service} is simulated here: made-up data, no real account is touched.`,
    reference: 'Reference code',
    problem: 'There is a problem',
    optional: '(optional)',
  },
  ...ownerEn,
  ...consentEn,
  ...banksEn,
  ...frameEn,
  ...handOffEn,
  ...accessibilityEn,
  books: {
    title: 'Which books are these?',
    explain: (service: string, company: string) => `Your login at ${service} opens several sets of books. Choose those of ${company}.`,
    legend: 'Books',
    needed: 'Choose one of them.',
    go: 'Connect these books',
  },
  redirect: {
    title: (service: string) => `Sign in to ${service}`,
    titleBank: (bank: string) => `Connect ${bank}`,
    titleThere: (source: string) => `Choose your bank at ${source}`,
    change: 'Choose another bank',
    leave: (service: string) => `You now go to ${service}. Sign in there and approve the access, then you come back here by yourself.`,
    leaveBank: (source: string, bank: string) =>
      `You now go to ${source}, which links us with ${bank}. Sign in and approve the access, then you come back here by yourself.`,
    leaveThere: (source: string) =>
      `You now go to ${source}, which links us with your bank. Choose it there and approve the access, then you come back here by yourself.`,
    password: (requester: string) => `Neither ${requester} nor we see your password.`,
    go: (service: string) => `Continue to ${service}`,
    leavingTitle: (service: string) => `Taking you to ${service}`,
    leavingText: 'If nothing happens, use the button.',
  },
  widget: {
    leadBank: (source: string, bank: string) =>
      `On the next page a window of ${source} opens, which links us with ${bank}. Sign in there and approve the access.`,
    leadThere: (source: string) =>
      `On the next page a window of ${source} opens, which links us with your bank. Choose it there and approve the access.`,
    title: (source: string) => `Your bank, through ${source}`,
    text: (source: string) =>
      `Sign in and approve the access in the window of ${source}. When you have finished there, you come on by yourself.`,
    opening: (source: string) => `Opening the window of ${source}…`,
    finishing: 'One moment, we are checking the connection…',
    failedTitle: (source: string) => `The window of ${source} could not be opened`,
    failedText: (source: string) =>
      `Nothing was connected. Perhaps ${source} does not answer, or your browser blocks its scripts: switch off content blockers for this page, then go back and try again.`,
    noScript: (source: string) =>
      `${source} needs JavaScript, and it is switched off in your browser. Switch it on, then go back and try again.`,
    back: 'Back',
  },
  form: {
    title: (service: string) => `Connect ${service}`,
    intro: (service: string) => `Enter the access to ${service}. It is stored encrypted and used only for reading.`,
    example: 'Sandbox: the values of a made-up company are filled in. Replace them by your own to connect a real system.',
    submit: 'Connect',
    needed: 'This field is needed.',
    tooLong: 'This is too long.',
  },
  upload: {
    title: 'Upload your bank statements',
    intro: 'Download the statements from the website of your bank, then choose the files here. You can choose several at once.',
    label: 'Statement files',
    hint: (endings: string, megabytes: number) => `${endings}, ${megabytes}\u00a0MB altogether at most.`,
    submit: 'Upload',
    noFile: 'Choose at least one file.',
    empty: 'This file is empty.',
    tooLarge: (megabytes: number) =>
      `These files are larger than ${megabytes}\u00a0MB altogether. Choose fewer files, or statements of a shorter period.`,
    tooMany: (files: number) => `Choose ${count(files, 'file', 'files')} at most at a time.`,
    inFile: (file: string, text: string) => `${file}: ${text}`,
    nothingStored: 'Nothing was taken in yet: choose the files again.',
    tooSlow: 'The upload took too long and was stopped. Check your internet connection, or choose fewer files at a time.',
    underWay: 'Files are already being uploaded with this link. Wait until that is done, then try again.',
    full: 'Many people are uploading files right now. Try again in a minute.',
  },
  done: {
    title: 'You are connected',
    alreadyTitle: 'This link was used already',
    text: (requester: string) => `We will tell ${requester}. You can close this page: everything else happens without you.`,
    alreadyText: (requester: string, service: string) =>
      `The connection of ${service} to ${requester} was made with it. There is nothing left to do.`,
    connections: 'What was connected',
    leftOut: 'Not everything could be read',
    leftOutText: (n: number): string =>
      n === 1
        ? 'Everything else was taken in. You can upload a corrected file with another link.'
        : 'Everything else was taken in. You can upload corrected files with another link.',
    fileRefused: (file: string, text: string) => `${file} was not taken in. ${text}`,
    fileInPart: (file: string, text: string) => `${file} was taken in, except for this: ${text}`,
    status: 'Status:',
    states: {
      waiting: 'Waiting for the first reading',
      reading: 'Reading for the first time',
      ready: 'Ready',
      retrying: 'The first reading did not succeed. We try again by ourselves; you need not do anything.',
      renewal: 'The access has ended. Ask for a new link to renew it.',
      ended: 'Disconnected',
      paused: 'Paused',
    },
    connectedAt: 'Connected',
    readyAt: 'Ready',
    accounts: (n: number) => count(n, 'account', 'accounts'),
    transactions: (n: number) => count(n, 'transaction', 'transactions'),
    duration: 'The first reading takes a few seconds to a few minutes.',
    update: 'Update the status',
    another: (requester: string) => `To connect something else, ask ${requester} for another link.`,
    changeMind: (requester: string) => `To withdraw your permission, write to ${requester}.`,
  },
  problems: {
    tryAgain: 'Try again',
    startOver: 'Start over',
    back: 'Back',
    goOn: 'Go on',
    link: {
      title: 'This link cannot be opened',
      what: 'It may have expired, been replaced, or been copied only in part.',
      next: 'Open it again from the message in which you received it. If you connected with it before, use the address of your own page, which you were given at the end. Otherwise, ask the sender for a new link.',
    },
    session: {
      title: 'Please open your link again',
      what: 'This browser does not know which link you opened: some time has passed, it is another browser, or cookies are off.',
      next: 'Open the link in the message that you received. If this page comes back, allow cookies for this site.',
    },
    used: {
      title: 'This link was used already',
      what: 'A connection was made with it, and a link works only once.',
      next: 'There is nothing left to do. To connect something else, ask the sender for another link.',
    },
    declined: {
      title: 'You declined',
      what: 'Nothing was connected and nothing was shared.',
      next: 'You can close this page. If it was a mistake, try again.',
    },
    incomplete: {
      title: 'Nothing was connected',
      what: 'The sign-in was not completed.',
      next: 'Your link stays good: you can try again.',
    },
    mismatch: {
      title: 'That is another one than before',
      what: 'Until now another company or another login was connected here. We changed nothing.',
      named: (before: string, now: string) => `Connected until now: ${before}. You have just chosen: ${now}. We changed nothing.`,
      next: (requester: string) => `Try again and choose the same one as before. If you want to change it, ask ${requester} for it first.`,
    },
    state: {
      title: 'This sign-in cannot be used',
      what: 'It was used already, it took longer than half an hour, or it was begun in another browser.',
      next: 'Start over in this browser. What is connected already stays connected.',
    },
    silent: {
      title: (service: string) => `${service} does not answer`,
      what: (service: string) => `The trouble is at ${service}, not with you. Nothing was connected.`,
      next: 'Try again in a few minutes. Your link stays good.',
    },
    refused: {
      title: (service: string) => `${service} gave no access`,
      what: (service: string) => `${service} did not complete the sign-in. Nothing was connected.`,
      next: (requester: string) => `Try again. If it does not help, send the reference code below to ${requester}.`,
    },
    off: {
      title: (service: string) => `${service} cannot be connected at the moment`,
      what: 'It is switched off on our side. You have done nothing wrong.',
      next: (requester: string) => `Tell ${requester}, and send the reference code below.`,
    },
    forged: {
      title: 'This form cannot be accepted',
      what: 'It did not come from a page of ours that is open in this browser, so nothing was done.',
      next: 'Start over from here.',
    },
    unreadable: {
      title: 'We could not read this request',
      what: 'What the browser sent was incomplete or of an unexpected kind. Nothing was done.',
      next: 'Go back and try again.',
    },
    nowhere: {
      title: 'There is no such page',
      what: 'The address may have been copied only in part.',
      next: 'Open the link in the message that you received.',
    },
    often: {
      title: 'That was very often in a short time',
      what: 'To keep others from trying out passwords here, we take only so many forms in ten minutes. Nothing was done this time, and nothing is lost.',
      next: 'Wait ten minutes, then go on where you were.',
    },
    full: {
      title: 'No more can be done with this link',
      what: 'It was asked for the same thing so often that nothing was added this time. What was done before stays.',
      next: (requester: string) => `Go on with what is there, or ask ${requester} for a new link.`,
    },
    quota: {
      title: 'Nothing more can be added for now',
      what: 'Whoever sent you here has as much at our service as was agreed with us. Nothing was added this time, and what was there before stays.',
      next: (requester: string) => `Tell ${requester} that you could not go on; the link stays valid until its date.`,
    },
    suspended: {
      title: 'This service is not available for now',
      what: 'Whoever sent you here cannot use our service at the moment. Your data is kept as it is, and nothing new is read. You have done nothing wrong.',
      next: 'Ask whoever gave you the link when to come back. The link stays valid until its date.',
    },
    busy: {
      title: 'One moment, please',
      what: 'Our service cannot answer right now. The trouble is on our side, and nothing is lost.',
      next: 'Try again in a minute.',
    },
    ours: {
      title: 'Something went wrong on our side',
      what: 'You have done nothing wrong. The fault was recorded.',
      next: 'Try again. If it happens once more, send the reference code below to whoever gave you the link.',
    },
  },
}

export type Texts = typeof en
