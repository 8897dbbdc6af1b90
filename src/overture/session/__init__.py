"""Time: a session, the one thing that changes. It builds again whenever something else does."""
