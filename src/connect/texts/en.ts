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
    zone: (name: string) => `Dates and times on this page are in ${name}.`,
    otherLanguage: 'Français',
    steps: 'Steps',
    stepDone: 'done',
    stepNames: { consent: 'Permission', bank: 'Your bank', connect: 'Connection', done: 'Done' },
    sandbox: (service: string) => `Sandbox. ${service} is simulated: the data is fictitious and no real account is accessed.`,
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
    title: 'Choose a company file',
    explain: (service: string, company: string) => `Your ${service} login gives access to several companies. Choose ${company}.`,
    legend: 'Company files',
    needed: 'Choose one.',
    go: 'Connect',
  },
  redirect: {
    title: (service: string) => `Sign in to ${service}`,
    titleBank: (bank: string) => `Connect ${bank}`,
    titleThere: (source: string) => `Choose your bank in ${source}`,
    change: 'Choose another bank',
    leave: (service: string) =>
      `You will now go to ${service}. Sign in and approve access there, and you will be brought back here automatically.`,
    leaveBank: (source: string, bank: string) =>
      `You will now go to ${source}, which connects us to ${bank}. Sign in and approve access there, and you will be brought back here automatically.`,
    leaveThere: (source: string) =>
      `You will now go to ${source}, which connects us to your bank. Choose your bank and approve access there, and you will be brought back here automatically.`,
    password: (requester: string) => `Neither we nor ${requester} will see your password.`,
    go: (service: string) => `Continue to ${service}`,
    leavingTitle: (service: string) => `Taking you to ${service}`,
    leavingText: 'If nothing happens, select the button.',
  },
  widget: {
    leadBank: (source: string, bank: string) =>
      `On the next page, a window from ${source}, which connects us to ${bank}, opens. Sign in and approve access there.`,
    leadThere: (source: string) =>
      `On the next page, a window from ${source}, which connects us to your bank, opens. Choose your bank and approve access there.`,
    title: (source: string) => `Your bank, through ${source}`,
    text: (source: string) =>
      `Sign in and approve access in the ${source} window. When you have finished, you will continue automatically.`,
    opening: (source: string) => `Opening ${source}…`,
    finishing: 'One moment, we are checking the connection…',
    failedTitle: (source: string) => `The ${source} window could not be opened`,
    failedText: (source: string) =>
      `Nothing was connected. ${source} may be unavailable, or your browser may be blocking its scripts. Turn off content blockers for this page, then go back and try again.`,
    noScript: (source: string) =>
      `${source} requires JavaScript, which is turned off in your browser. Turn it on, then go back and try again.`,
    back: 'Back',
  },
  form: {
    title: (service: string) => `Connect ${service}`,
    intro: (service: string) => `Enter your ${service} access details. They are stored encrypted and used only to read data.`,
    example: 'Sandbox: the values of a fictitious company are filled in. Replace them with your own to connect a real system.',
    submit: 'Connect',
    needed: 'This field is required.',
    tooLong: 'This is too long.',
  },
  upload: {
    title: 'Upload your bank statements',
    intro: 'Download your statements from your bank’s website, then choose the files here. You can choose several at once.',
    label: 'Statement files',
    hint: (endings: string, megabytes: number) => `${endings}, ${megabytes}\u00a0MB in total at most.`,
    submit: 'Upload',
    noFile: 'Choose at least one file.',
    empty: 'This file is empty.',
    tooLarge: (megabytes: number) =>
      `These files are larger than ${megabytes}\u00a0MB in total. Choose fewer files, or statements for a shorter period.`,
    tooMany: (files: number) => `Choose up to ${count(files, 'file', 'files')} at a time.`,
    inFile: (file: string, text: string) => `${file}: ${text}`,
    nothingStored: 'Nothing has been uploaded yet. Choose the files again.',
    tooSlow: 'The upload took too long and was stopped. Check your internet connection, or choose fewer files at a time.',
    underWay: 'Files are already being uploaded with this link. Wait until the upload is done, then try again.',
    notScanned: 'Files cannot be scanned for malware right now, so nothing was uploaded. Try again in a few minutes.',
    full: 'Many people are uploading files right now. Try again in a minute.',
  },
  done: {
    title: 'You are connected',
    alreadyTitle: 'This link has already been used',
    text: (requester: string) => `We will let ${requester} know. You can close this page; everything else happens automatically.`,
    alreadyText: (requester: string, service: string) => `It connected ${service} to ${requester}. There is nothing left to do.`,
    connections: 'Connected',
    leftOut: 'Some data could not be read',
    leftOutText: (n: number): string =>
      n === 1
        ? 'Everything else was accepted. You can upload a corrected file with another link.'
        : 'Everything else was accepted. You can upload corrected files with another link.',
    fileRefused: (file: string, text: string) => `${file} was not accepted. ${text}`,
    fileInPart: (file: string, text: string) => `${file} was accepted, except for this: ${text}`,
    status: 'Status:',
    states: {
      waiting: 'Waiting for the first update',
      reading: 'First update in progress',
      ready: 'Ready',
      retrying: 'The first update did not succeed. We will try again automatically; you do not need to do anything.',
      renewal: 'Access has ended. Ask for a new link to renew it.',
      ended: 'Disconnected',
      paused: 'Paused',
    },
    connectedAt: 'Connected',
    readyAt: 'Ready',
    accounts: (n: number) => count(n, 'account', 'accounts'),
    transactions: (n: number) => count(n, 'transaction', 'transactions'),
    duration: 'The first update takes from a few seconds to a few minutes.',
    update: 'Refresh status',
    another: (requester: string) => `To connect something else, ask ${requester} for another link.`,
    changeMind: (requester: string) => `To withdraw your permission, write to ${requester}.`,
  },
  problems: {
    tryAgain: 'Try again',
    startOver: 'Start over',
    back: 'Back',
    goOn: 'Continue',
    link: {
      title: 'This link cannot be opened',
      what: 'It may have expired, been replaced, or been copied incompletely.',
      next: 'Open it again from the message you received. If you have already connected with it, use the address of your own page, which you were given at the end. Otherwise, ask the sender for a new link.',
    },
    session: {
      title: 'Please open your link again',
      what: 'This browser does not know which link you opened. Some time may have passed, you may be using another browser, or cookies may be off.',
      next: 'Open the link in the message you received. If you see this page again, allow cookies for this site.',
    },
    used: {
      title: 'This link has already been used',
      what: 'A connection was made with it. Each link works only once.',
      next: 'There is nothing left to do. To connect something else, ask the sender for another link.',
    },
    declined: {
      title: 'You declined',
      what: 'Nothing was connected and nothing was shared.',
      next: 'You can close this page. If this was a mistake, try again.',
    },
    incomplete: {
      title: 'Nothing was connected',
      what: 'The sign-in was not completed.',
      next: 'Your link is still valid: you can try again.',
    },
    mismatch: {
      title: 'This is not the same one as before',
      what: 'Another company or login was connected here before. Nothing was changed.',
      named: (before: string, now: string) => `Connected until now: ${before}. You just chose: ${now}. Nothing was changed.`,
      next: (requester: string) => `Try again and choose the same one as before. To change it, contact ${requester} first.`,
    },
    state: {
      title: 'This sign-in cannot be used',
      what: 'It has already been used, took longer than 30 minutes, or was started in another browser.',
      next: 'Start over in this browser. Anything already connected stays connected.',
    },
    silent: {
      title: (service: string) => `${service} is not responding`,
      what: (service: string) => `The problem is with ${service}, not with you. Nothing was connected.`,
      next: 'Try again in a few minutes. Your link is still valid.',
    },
    refused: {
      title: (service: string) => `${service} did not grant access`,
      what: (service: string) => `${service} did not complete the sign-in. Nothing was connected.`,
      next: (requester: string) => `Try again. If the problem persists, send the reference code below to ${requester}.`,
    },
    off: {
      title: (service: string) => `${service} cannot be connected at the moment`,
      what: 'It is turned off on our side. You did nothing wrong.',
      next: (requester: string) => `Let ${requester} know, and send them the reference code below.`,
    },
    forged: {
      title: 'This form cannot be accepted',
      what: 'It did not come from one of our pages open in this browser, so nothing was done.',
      next: 'Start over from here.',
    },
    unreadable: {
      title: 'We could not read this request',
      what: 'Your browser sent incomplete or unexpected data. Nothing was done.',
      next: 'Go back and try again.',
    },
    nowhere: {
      title: 'Page not found',
      what: 'The address may be incomplete.',
      next: 'Open the link in the message you received.',
    },
    often: {
      title: 'Too many attempts',
      what: 'To prevent password guessing, we limit how many forms can be sent in ten minutes. Nothing was done this time, and nothing is lost.',
      next: 'Wait ten minutes, then continue where you left off.',
    },
    full: {
      title: 'This link has reached its limit',
      what: 'The same request was made so many times that nothing was added this time. Everything done before is kept.',
      next: (requester: string) => `Continue with what you have, or ask ${requester} for a new link.`,
    },
    quota: {
      title: 'Nothing can be added right now',
      what: 'The organization that sent you here has reached the volume agreed with us. Nothing was added this time, and everything added before is kept.',
      next: (requester: string) => `Let ${requester} know that you could not continue. The link stays valid until its expiry date.`,
    },
    suspended: {
      title: 'This service is unavailable right now',
      what: 'The organization that sent you here cannot use our service at the moment. Your data is kept as it is, and nothing new is read. You did nothing wrong.',
      next: 'Ask the person who gave you the link when to come back. The link stays valid until its expiry date.',
    },
    busy: {
      title: 'One moment, please',
      what: 'Our service cannot respond right now. The problem is on our side, and nothing is lost.',
      next: 'Try again in a minute.',
    },
    ours: {
      title: 'Something went wrong on our side',
      what: 'You did nothing wrong. The problem has been logged.',
      next: 'Try again. If it happens again, send the reference code below to the person who gave you the link.',
    },
  },
}

export type Texts = typeof en
