import type { World } from './world';

/** Worlds of figures, trade, machines and software. */
export const WORLDS_OF_WORK: readonly World[] = [
  {
    occupations: [
      'accountant', 'actuary', 'auditor', 'banker', 'bookkeeper', 'broker', 'economist', 'investor', 'analyst',
      'financial adviser', 'treasurer',
    ],
    topics: [
      'the quarterly tax return', 'the cash forecast', 'a note on the new fees', 'the expense claims',
      'the inventory differences', 'a letter to a late payer', 'the loan comparison', 'the budget for next year',
      'the audit questions', 'a briefing on interest rates', 'the payroll change', 'a one-page risk summary',
      'the overdue invoices',
    ],
    troubles: [
      'receipts in shoeboxes', 'rules that change in December', 'a total that is off by nine cents',
      'clients who call after closing time', 'forecasts that nobody reads to the end', 'software migrated over a weekend',
    ],
    factors: {
      'Person/Group': [
        '{full}, Head of Audit', 'the {surname} Brothers', 'the {place} Market Traders', 'the Quarterly Close Team',
        'Treasurer {surname}', 'the Pension Committee', 'the First-Time Borrowers', 'the Widows\' Savings Circle',
      ],
      'Organization/Institution': [
        'the {place} Savings Cooperative', '{surname} Shipping', 'the Tax Office {place}', 'the {surname} Foundation',
        'the Financial Supervisory Agency', '{place} Credit Union',
      ],
      'Object/Artifact': [
        'the Green Ledger', 'the {surname} Receipt Boxes', 'the Petty Cash Tin', 'the Signed Loan Papers',
        'the Adding Machine', 'the Fireproof Cabinet',
      ],
      'Content/Media': [
        'the {place} Market Letter', 'the Annual Report', 'the {surname} Rate Tables', 'the Board Paper Pack',
        'the Client FAQ Page', 'the Morning Market Call',
      ],
      'Tool/Technology': [
        'LedgerLoom', 'the {surname} Forecast Model', 'QuickTally', 'the Reconciliation Script', 'RiskLens',
        'the Old Spreadsheet Macro',
      ],
      'Location/Place': [
        'the {place} Branch Office', 'the Records Cellar', 'the {place} Fish Market', 'the Glass Meeting Room',
        'the Counting Room', '{place} Customs Shed',
      ],
      'Process/Activity': [
        'the Month-End Close', 'the Expense Review', 'the Client Onboarding', 'the Stock Count', 'the Budget Round',
        'the Bank Reconciliation',
      ],
      'Event/Time': [
        'the Tax Deadline Week', 'the {surname} Audit', 'the Shareholders\' Meeting', 'the {place} Savings Day',
        'the Year-End Weekend', 'the Rate Decision Thursday',
      ],
    },
  },
  {
    occupations: [
      'consultant', 'entrepreneur', 'manager', 'realtor', 'recruiter', 'shopkeeper', 'marketer', 'administrator',
      'assistant', 'planner', 'hotelier', 'professional',
    ],
    topics: [
      'the offer for a new client', 'the hiring plan', 'a job advertisement', 'the customer survey', 'the opening hours',
      'the supplier contract', 'the agenda for the off-site', 'a refusal to a candidate', 'the sales figures by week',
      'a pitch of five minutes', 'the price list', 'the onboarding of two newcomers', 'a page about the company',
    ],
    troubles: [
      'meetings that breed meetings', 'customers who vanish after the quote', 'plans that age within a week',
      'a phone that rings during dinner', 'partners who agree to everything', 'promises made by a predecessor',
    ],
    factors: {
      'Person/Group': [
        '{full}, Founding Partner', 'the {surname} Account', 'the Weekend Sales Crew', 'the {place} Chamber Ladies',
        'Regional Director {surname}', 'the Works Council', 'the Early Adopters', 'the {place} Landlords',
      ],
      'Organization/Institution': [
        'the {place} Chamber of Commerce', '{surname} Holdings', 'the {place} Start-up Incubator', 'the Franchise Office',
        '{surname} Logistics', 'the {place} Tourism Board',
      ],
      'Object/Artifact': [
        'the Master Key Cabinet', 'the {surname} Sample Case', 'the Wall Planner', 'the Guest Book', 'the Signed Lease',
        'the Founders\' Photograph',
      ],
      'Content/Media': [
        'the {place} Business Gazette', 'the Staff Handbook', 'the {surname} Pitch Deck', 'the Customer Review Page',
        'the Monday Memo', 'the Property Listing Series',
      ],
      'Tool/Technology': [
        'PipelineDesk', 'the {surname} Booking Engine', 'HireFlow', 'the Office Chatbot', 'the Price Calculator', 'ShiftMate',
      ],
      'Location/Place': [
        'the {place} Showroom', 'the Co-Working Loft', '{place} Warehouse Two', 'the Reception Desk', 'the {place} Trade Hall',
        'the Model Apartment',
      ],
      'Process/Activity': [
        'the Quarterly Review', 'the Candidate Interview', 'the Price Negotiation', 'the Complaint Handling',
        'the House Viewing', 'the Strategy Workshop',
      ],
      'Event/Time': [
        'the {place} Trade Fair', 'the Monday Stand-up', 'the Peak Season', 'the {surname} Merger', 'the Grand Reopening',
        'the Annual Retreat',
      ],
    },
  },
  {
    occupations: ['developer', 'programmer', 'software engineer', 'data scientist', 'administrator of systems', 'tester', 'game designer'],
    topics: [
      'the release notes', 'a flaky login test', 'the migration plan', 'the slow export job', 'an outage report',
      'the interface for refunds', 'a script that renames files', 'the error counts by day', 'the onboarding guide',
      'a talk on code review', 'the backlog for spring', 'the naming of modules', 'a reply to a bug report',
    ],
    troubles: [
      'tests that fail only on Fridays', 'requirements that arrive after the code', 'a pager that loves three o\'clock',
      'documentation nobody owns', 'meetings about estimates', 'a library abandoned by its author',
    ],
    factors: {
      'Person/Group': [
        '{full}, Lead Maintainer', 'the Platform Guild', 'the {place} Contractors', 'the Bug Bash Volunteers',
        'Product Owner {surname}', 'the On-Call Rotation', 'the Screen-Reader Testers', 'the {surname} Interns',
      ],
      'Organization/Institution': [
        'the {place} Open Data Office', '{surname} Software', 'the Standards Working Group', 'the {place} Hackerspace',
        'the Security Audit Firm', '{surname} Hosting',
      ],
      'Object/Artifact': [
        'the Rack Behind the Kitchen', 'the {surname} Test Phone', 'the Architecture Poster', 'the Rubber Duck',
        'the Backup Tapes', 'the Badge Printer',
      ],
      'Content/Media': [
        'the Engineering Blog', 'the {surname} Style Guide', 'the Incident Wiki', 'the Release Changelog',
        'the API Reference', 'the Monthly Demo Recording',
      ],
      'Tool/Technology': [
        'the Legacy Billing Module', 'DeployBird', 'the {surname} Query Planner', 'TraceKite', 'the Nightly Build Server',
        'the Feature Flag Console',
      ],
      'Location/Place': [
        'the Server Room', 'the {place} Satellite Office', 'the Quiet Corner Desks', 'the Third-Floor War Room',
        '{place} Data Centre', 'the Rooftop Terrace',
      ],
      'Process/Activity': [
        'the Code Review', 'the Sprint Planning', 'the Post-Mortem', 'the Pair Programming Afternoon',
        'the Database Migration', 'the Dependency Upgrade',
      ],
      'Event/Time': [
        'the {place} Hackathon', 'the Release Freeze', 'the Black Friday Load', 'the {surname} Outage',
        'the Hiring Week', 'the Quarterly Demo Day',
      ],
    },
  },
  {
    occupations: [
      'architect', 'carpenter', 'contractor', 'electrician', 'engineer', 'machinist', 'mechanic', 'plumber', 'surveyor',
      'welder', 'technician', 'cartographer', 'builder', 'urban planner',
    ],
    topics: [
      'the materials list', 'a quote for the staircase', 'the inspection protocol', 'the delay on site', 'a safety notice',
      'the maintenance calendar', 'a drawing with two errors', 'the failure counts per machine', 'the apprentice\'s first month',
      'a complaint about noise', 'the order of the trades', 'the measurements of the north side', 'an instruction sheet',
    ],
    troubles: [
      'drawings that disagree with the wall', 'deliveries that come at dusk', 'customers who watched a video about it',
      'parts nobody makes any more', 'weather that ignores the schedule', 'a foreman who retires in May',
    ],
    factors: {
      'Person/Group': [
        'Foreman {full}', 'the {surname} Apprentices', 'Site Manager {surname}', 'the {place} Residents', 'the Night Crew',
        'Inspector {full}', 'the Retired Masters', 'the {surname} Household',
      ],
      'Organization/Institution': [
        'the {place} Building Authority', '{surname} Pumps', 'the Guild of Master Trades', 'the {place} Tram Company',
        'the Heritage Office', '{surname} Steelworks',
      ],
      'Object/Artifact': [
        'the 1962 Lathe', 'the {surname} Boiler', 'the Folding Rule', 'the Site Model', 'the Spare Parts Wall',
        'the Church Bell Frame',
      ],
      'Content/Media': [
        'the {place} Trade Journal', 'the Repair Video Channel', 'the {surname} Wiring Diagrams', 'the Site Diary',
        'the Installation Manual', 'the Tender Documents',
      ],
      'Tool/Technology': [
        'the {surname} Laser Level', 'PlanGrid Nine', 'the Vibration Sensor', 'the Plasma Cutter', 'TerraMap Suite',
        'the Diagnostic Tablet',
      ],
      'Location/Place': [
        'the {place} Bridge Site', 'the Tool Crib', '{place} Shipyard', 'the Attic Conversion', 'Hall Seven',
        'the {place} Pumping Station',
      ],
      'Process/Activity': [
        'the Final Inspection', 'the Toolbox Talk', 'the Cost Estimate', 'the Fault Search', 'the Concrete Pour',
        'the Machine Handover',
      ],
      'Event/Time': [
        'the Topping-Out Party', 'the {place} Winter Shutdown', 'the Safety Audit', 'the {surname} Deadline',
        'the Apprentice Exam', 'the First Frost',
      ],
    },
  },
];
